// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import ServerStorage

/// RFC 6749 sections 2.3 and 3.2.1: the client is registered, and shows who it is in the one way it is registered for.
///
/// With FAPI 2.0, a key is the only way (section 5.3.2.1), whatever clients were registered for before. An assertion is remembered by ``RecordAssertion``, when everything else is in order.
struct CheckClientAuthentication: Check {
    /// Which clients an endpoint is for.
    enum Audience {
        case everyClient
        /// Those that have a secret or a key.
        case confidentialClients
    }

    let section = "RFC 6749 section 2.3"
    let audience: Audience

    init(_ audience: Audience = .everyClient) {
        self.audience = audience
    }

    func run(_ request: PresentedClientRequest, _ services: Services) throws(ProtocolFailure) -> ClientRequest {
        do {
            return try authenticate(request, services)
        } catch  where error.code == .invalidClient {
            throw refusal(error, of: request.form)
        }
    }

    private func authenticate(
        _ request: PresentedClientRequest,
        _ services: Services
    ) throws(ProtocolFailure) -> ClientRequest {
        // Whoever does not even say who it is has no access where only confidential clients have.
        if audience == .confidentialClients, try !request.form.namesClient() { throw .clientRejected }
        let (credentials, client) = (try request.credentials.get(), request.client)
        var assertion: VerifiedClientAssertion?
        // A secret takes the same time to refuse when there is no such client.
        let isShown =
            switch credentials.proof {
            case .nothing: audience == .everyClient
            case .secret(let secret): client.hasSecret(secret)
            case .assertion(let text): isSigned(text, by: client, at: request.form.now, services, &assertion)
            }
        guard let client, isShown, client.tokenEndpointAuthMethod == credentials.method,
            services.configuration.profile.clientAuthenticationMethods.contains(credentials.method)
        else { throw .clientRejected }
        RequestTrace.current?.clientID = client.clientID
        return ClientRequest(request.form, client, assertion: assertion)
    }

    /// RFC 7523 section 3: whether an assertion is the client's; then it is there to be remembered.
    private func isSigned(
        _ text: String,
        by client: RegisteredClient?,
        at now: Timestamp,
        _ services: Services,
        _ assertion: inout VerifiedClientAssertion?
    ) -> Bool {
        guard let client else { return false }
        let configured = services.configuration.clientAssertionAlgorithms
        let validation = JWTValidation.clientAssertion(
            clientID: client.clientID,
            issuer: services.configuration.issuer.description,
            algorithms: client.tokenEndpointAuthSigningAlgorithm.map { configured.intersection([$0]) } ?? configured
        )
        guard let claims = try? validation.validate(text, with: client.jwks, at: now) else { return false }
        assertion = VerifiedClientAssertion(claims, of: client, leeway: validation.leeway)
        return assertion != nil
    }

    /// RFC 6749 section 5.2: 401 to an `Authorization` field, and with a challenge (RFC 9110 section 15.5.2); so it is
    /// where nobody may ask without a secret or a key (RFC 7662 section 2.3).
    private func refusal(_ failure: ProtocolFailure, of request: FormRequest) -> ProtocolFailure {
        guard audience == .confidentialClients || request.http.fields["Authorization"] != nil else { return failure }
        return ProtocolFailure(
            failure.code,
            failure.description,
            status: 401,
            fields: ["WWW-Authenticate": "Basic realm=\"clients\""]
        )
    }
}

extension FormRequest {
    /// Whether a request names a client in any of the ways there are.
    fileprivate func namesClient() throws(ProtocolFailure) -> Bool {
        if http.fields["Authorization"] != nil { return true }
        for name in ["client_id", "client_assertion"] where try parameter(name) != nil { return true }
        return false
    }
}

extension RegisteredClient? {
    /// Whether a secret is one of the client's; takes as long when there is no client, or one with fewer secrets.
    fileprivate func hasSecret(_ secret: String) -> Bool {
        let presented = SecretHash(of: secret)
        // Each is compared, whether or not one before was the same.
        return comparedHashes.reduce(false) { $1 == presented || $0 }
    }

    /// What a presented secret is compared with: always as many hashes as a client can have.
    var comparedHashes: [SecretHash] {
        let hashes = self?.secretHashes ?? []
        return hashes + repeatElement(Self.hashOfNothing, count: max(0, RegisteredClient.maximumSecrets - hashes.count))
    }

    /// Nobody finds a text whose SHA-256 is all zero.
    private static var hashOfNothing: SecretHash { SecretHash(stored: [UInt8](repeating: 0, count: 32)) }
}
