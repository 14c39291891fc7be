// SPDX-License-Identifier: Apache-2.0

/// Every endpoint of the server.
///
/// To add one: its file in `Endpoints/`, its address in ``EndpointAddresses``, a row here, and a line in
/// ``MetadataEndpoint`` when clients are to find it.
enum EndpointTable {
    static func endpoints(_ services: Services) -> [Endpoint] {
        let addresses = services.addresses
        let metadata = MetadataEndpoint(services: services)
        let jwks = JWKSEndpoint(services: services)
        let pushedAuthorization = PushedAuthorizationEndpoint(services: services)
        let authorization = AuthorizationEndpoint(services: services)
        let login = LoginEndpoint(services: services)
        let consent = ConsentEndpoint(services: services)
        let token = TokenEndpoint(services: services)
        let revocation = RevocationEndpoint(services: services)
        return [
            Endpoint(address: addresses.metadata, actions: ["GET": metadata.respond]),
            Endpoint(address: addresses.jwks, actions: ["GET": jwks.respond]),
            Endpoint(address: addresses.pushedAuthorization, actions: ["POST": pushedAuthorization.respond]),
            Endpoint(address: addresses.authorization, actions: ["GET": authorization.respond]),
            Endpoint(address: addresses.login, actions: ["POST": login.respond]),
            Endpoint(address: addresses.consent, actions: ["POST": consent.respond]),
            Endpoint(address: addresses.token, actions: ["POST": token.respond]),
            Endpoint(address: addresses.revocation, actions: ["POST": revocation.respond]),
        ]
    }
}
