// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import ServerStorage

/// RFC 6749 sections 2.3 and 3.2.1: the client is registered, and authenticates with its registered method.
///
/// FAPI 2.0 allows only keys (section 5.3.2.1), whatever method a client was registered with. ``RecordAssertion``
/// records an assertion after all other checks have passed.
struct CheckClientAuthentication<Reads: ClientReads>: Check {
    let section = "RFC 6749 section 2.3"
    let audience: ClientAudience

    init(_ audience: ClientAudience = .everyClient) {
        self.audience = audience
    }

    func run(_ request: PresentedRequest<Reads>, _ services: Services) throws(ProtocolFailure) -> Reads.Authenticated {
        do {
            return try authenticate(request, services)
        } catch  where error.code == .invalidClient {
            throw refusal(error, of: request.form)
        }
    }

    private func authenticate(
        _ request: PresentedRequest<Reads>,
        _ services: Services
    ) throws(ProtocolFailure) -> Reads.Authenticated {
        // An endpoint for confidential clients rejects a request that names no client.
        if audience == .confidentialClients, try !request.form.namesClient() { throw .clientRejected }
        let (credentials, client) = (try request.credentials.get(), request.reads?.client)
        var assertion: SingleUseJWT?
        var attestation: ClientAttestation?
        var problem: String?
        // Rejecting a secret takes the same time if there is no such client.
        let isShown =
            switch credentials.proof {
            case .nothing: audience == .everyClient
            case .secret(let secret): client.hasSecret(secret)
            case .assertion(let text): isSigned(text, by: client, in: request, services, &assertion, &problem)
            case .attestation(let text): try isAttested(text, client, in: request.form, services, &attestation)
            }
        // An attacker who removes the attestation learns what is missing, as the client would (section 7.4 of the draft).
        if let client, client.isAttested, attestation == nil { throw .attestationRefused(.missing) }
        guard let reads = request.reads, let client, isShown, client.tokenEndpointAuthMethod == credentials.method,
            services.configuration.clientAuthenticationMethods.contains(credentials.method)
        else {
            var failure = ProtocolFailure.clientRejected
            failure.problem = problem
            throw failure
        }
        RequestTrace.current?.clientID = client.clientID
        guard audience == .everyClient || client.hasOwnCredential else {
            throw ProtocolFailure(
                .unauthorizedClient,
                "introspection is only for clients with a secret or a key of their own"
            )
        }
        return reads.authenticated(
            ClientRequest(
                request.form,
                client,
                keys: request.keys(of: client),
                assertion: assertion,
                attestation: attestation
            )
        )
    }

    /// draft-ietf-oauth-attestation-based-client-auth-11 section 7.1: whether the client is registered for attestation,
    /// and has a valid one; if so, sets it.
    private func isAttested(
        _ text: String,
        _ client: RegisteredClient?,
        in form: FormRequest,
        _ services: Services,
        _ attestation: inout ClientAttestation?
    ) throws(ProtocolFailure) -> Bool {
        guard let client, client.isAttested else { return false }
        attestation = try ClientAttestation(
            text,
            for: client.clientID,
            by: services.configuration.attesters,
            at: form.now
        )
        return true
    }

    /// RFC 7523 section 3: whether the client signed the assertion; if so, sets the assertion to record.
    private func isSigned(
        _ text: String,
        by client: RegisteredClient?,
        in request: PresentedRequest<Reads>,
        _ services: Services,
        _ assertion: inout SingleUseJWT?,
        _ problem: inout String?
    ) -> Bool {
        guard let client else { return false }
        let form = request.form
        let validation = validation(of: client, at: form.received.address, services)
        let claims: JWTClaims
        do {
            claims = try validation.validate(text, with: request.keys(of: client), at: form.now)
        } catch {
            // What is expected is no secret; what was received is not repeated.
            let isOfAudience = error.reason.hasPrefix("'aud'")
            problem = error.reason + (isOfAudience ? ": expected \(services.configuration.issuer)" : "")
            return false
        }
        assertion = SingleUseJWT(.clientAssertion, claims, of: client, leeway: validation.leeway)
        return assertion != nil
    }

    private func validation(
        of client: RegisteredClient,
        at endpoint: EndpointAddresses.Address,
        _ services: Services
    ) -> JWTValidation {
        let configured = services.configuration.clientAssertionAlgorithms
        var validation = JWTValidation.clientAssertion(
            clientID: client.clientID,
            issuer: services.configuration.issuer.description,
            algorithms: client.tokenEndpointAuthSigningAlgorithm.map { configured.intersection([$0]) } ?? configured
        )
        if services.configuration.assertionAudience == .issuerOrEndpoint {
            let addresses = [services.addresses.token, endpoint]
            validation.audienceRule = .one(of: Set(addresses.map(\.uri.description)))
        } else if services.configuration.profile != .fapi2 {
            // RFC 7519 section 4.1.3: an array of one says the same as the string, which FAPI 2.0 requires.
            validation.audienceRule = .one(of: [])
        }
        return validation
    }

    /// RFC 6749 section 5.2: 401 for an `Authorization` field, with a challenge (RFC 9110 section 15.5.2); likewise at
    /// an endpoint that requires a secret or a key (RFC 7662 section 2.3).
    private func refusal(_ failure: ProtocolFailure, of request: FormRequest) -> ProtocolFailure {
        guard audience == .confidentialClients || request.http.fields["Authorization"] != nil else { return failure }
        var refusal = ProtocolFailure(
            failure.code,
            failure.description,
            status: 401,
            fields: ["WWW-Authenticate": "Basic realm=\"clients\""]
        )
        refusal.problem = failure.problem
        return refusal
    }
}

/// The clients that an endpoint accepts.
enum ClientAudience {
    case everyClient
    /// Clients with a secret or a key.
    case confidentialClients
}

extension FormRequest {
    /// Whether the request names a client in any supported way.
    func namesClient() throws(ProtocolFailure) -> Bool {
        if http.fields["Authorization"] != nil { return true }
        if http.fields[ClientAttestationField.attestation] != nil { return true }
        for name in ["client_id", "client_assertion"] where try parameter(name) != nil { return true }
        return false
    }
}

extension RegisteredClient? {
    /// Whether a secret is one of the client's.
    ///
    /// Takes the same time without a client, or with fewer secrets.
    fileprivate func hasSecret(_ secret: String) -> Bool {
        let presented = SecretHash(of: secret)
        // Compares with every hash, even after a match.
        return comparedHashes.reduce(false) { $1 == presented || $0 }
    }

    /// The hashes to compare a presented secret with: always as many as a client can have.
    var comparedHashes: [SecretHash] {
        let hashes = self?.secretHashes ?? []
        return hashes + repeatElement(Self.hashOfNothing, count: max(0, RegisteredClient.maximumSecrets - hashes.count))
    }

    /// No known text has a SHA-256 hash of all zeros.
    private static var hashOfNothing: SecretHash { SecretHash(stored: [UInt8](repeating: 0, count: 32)) }
}
