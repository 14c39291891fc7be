// SPDX-License-Identifier: Apache-2.0

import ServerStorage

/// Every endpoint of the server.
///
/// To add one: a file in the folder of its feature, its address in ``EndpointAddresses``, a row here, and a line in
/// ``MetadataEndpoint`` if clients must discover it.
enum EndpointTable {
    static func endpoints(_ services: Services) throws(AuthorizationServerError) -> [Endpoint] {
        let openID = services.isOpenIDProvider ? try openIDEndpoints(services) : []
        return authorizationEndpoints(services) + attestationEndpoints(services) + firstPartyEndpoints(services)
            + openID
    }

    /// The endpoints of OpenID Connect, for servers with the scope `openid`.
    private static func openIDEndpoints(_ services: Services) throws(AuthorizationServerError) -> [Endpoint] {
        let addresses = services.addresses
        let metadata = MetadataEndpoint(services: services)
        let userInfo = try UserInfoEndpoint(services)
        let endSession = EndSessionEndpoint(services: services)
        let confirmation = EndSessionConfirmationEndpoint(services: services)
        return [
            Endpoint(address: addresses.openIDConfiguration, actions: ["GET": metadata.respond], allowsHead: true),
            Endpoint(
                address: addresses.insertedOpenIDConfiguration,
                actions: ["GET": metadata.respond],
                allowsHead: true
            ),
            Endpoint(
                address: addresses.userInfo,
                actions: ["GET": userInfo.respond, "POST": userInfo.respond],
                allowsHead: true,
                isForScripts: true
            ),
            Endpoint(address: addresses.endSession, actions: ["GET": endSession.respond, "POST": endSession.take]),
            Endpoint(address: addresses.endSessionConfirmation, actions: ["POST": confirmation.respond]),
        ]
    }

    private static func authorizationEndpoints(_ services: Services) -> [Endpoint] {
        let addresses = services.addresses
        let metadata = MetadataEndpoint(services: services)
        let jwks = JWKSEndpoint(services: services)
        let pushedAuthorization = PushedAuthorizationEndpoint(services: services)
        let authorization = AuthorizationEndpoint(services: services)
        let consent = ConsentEndpoint(services: services)
        let token = TokenEndpoint(services: services)
        let revocation = RevocationEndpoint(services: services)
        let introspection = IntrospectionEndpoint(services: services)
        let registration = RegistrationEndpoint(services: services)
        return [
            Endpoint(address: addresses.metadata, actions: ["GET": metadata.respond], allowsHead: true),
            Endpoint(address: addresses.jwks, actions: ["GET": jwks.respond], allowsHead: true),
            Endpoint(
                address: addresses.pushedAuthorization,
                actions: ["POST": pushedAuthorization.respond],
                isForScripts: true,
                limit: .authorizationRequests(services, audience: .program)
            ),
            Endpoint(
                address: addresses.authorization,
                actions: ["GET": authorization.respond, "POST": authorization.take],
                limit: .authorizationRequests(services, audience: .user)
            ),
            loginEndpoint(services),
            Endpoint(address: addresses.consent, actions: ["POST": consent.respond]),
            Endpoint(
                address: addresses.token,
                actions: ["POST": token.respond],
                isForScripts: true,
                limit: .tokenRejections(services)
            ),
            Endpoint(
                address: addresses.revocation,
                actions: ["POST": revocation.respond],
                isForScripts: true,
                limit: .tokenRejections(services)
            ),
            Endpoint(
                address: addresses.introspection,
                actions: ["POST": introspection.respond],
                limit: .tokenRejections(services)
            ),
            Endpoint(
                address: addresses.registration,
                actions: ["POST": registration.respond],
                isForScripts: true,
                limit: .tokenRejections(services)
            ),
        ] + deviceEndpoints(services)
    }

    /// The endpoint for clients that authenticate by attestation, if an attester is configured.
    private static func attestationEndpoints(_ services: Services) -> [Endpoint] {
        guard !services.configuration.attesters.isEmpty else { return [] }
        return [
            Endpoint(
                address: services.addresses.challenge,
                actions: ["POST": AttestationChallengeEndpoint(services: services).respond],
                limit: .authorizationRequests(services, audience: .program)
            )
        ]
    }

    /// The endpoint for apps of the operator that ask for the password themselves, if there may be any.
    private static func firstPartyEndpoints(_ services: Services) -> [Endpoint] {
        guard services.configuration.firstParty.isOn else { return [] }
        return [
            Endpoint(
                address: services.addresses.authorizationChallenge,
                actions: ["POST": AuthorizationChallengeEndpoint(services: services).respond],
                limit: .authorizationRequests(services, audience: .program)
            )
        ]
    }

    /// The endpoints for devices without a browser (RFC 8628).
    private static func deviceEndpoints(_ services: Services) -> [Endpoint] {
        let authorization = DeviceAuthorizationEndpoint(services: services)
        let verification = DeviceVerificationEndpoint(services: services)
        return [
            Endpoint(
                address: services.addresses.deviceAuthorization,
                actions: ["POST": authorization.respond],
                isForScripts: true,
                limit: .authorizationRequests(services, audience: .program)
            ),
            Endpoint(
                address: services.addresses.deviceVerification,
                actions: ["GET": verification.respond, "POST": verification.take],
                limit: .authorizationRequests(services, audience: .user)
            ),
        ]
    }

    /// The login endpoint, for passwords or for the responses of an external login provider, but not for both.
    private static func loginEndpoint(_ services: Services) -> Endpoint {
        guard services.configuration.loginSystem == nil else {
            let externalLogin = ExternalLoginEndpoint(services: services)
            return Endpoint(
                address: services.addresses.externalLogin,
                actions: ["GET": externalLogin.respond, "POST": externalLogin.take]
            )
        }
        return Endpoint(
            address: services.addresses.login,
            actions: ["POST": LoginEndpoint(services: services).respond]
        )
    }
}
