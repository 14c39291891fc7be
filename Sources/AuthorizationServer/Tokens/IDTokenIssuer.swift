// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthCore
import OAuthCrypto

/// Makes id_tokens, and knows them again (OpenID Connect Core section 2).
struct IDTokenIssuer: Sendable {
    /// The claims of an id_token that are about the person or the sign-in.
    static let claims = [
        "iss", "sub", "aud", "iat", "exp", "auth_time", "nonce", "acr", "amr", "at_hash",
    ]

    let configuration: ServerConfiguration
    /// One for each algorithm; the first for clients that are registered for none.
    let keys: [any SigningKey]

    /// The keys that id_tokens can be checked with.
    var keySet: JWKSet {
        JWKSet(keys.map { $0.publicKey.named($0.publicKey.thumbprint.description, algorithm: $0.algorithm) })
    }

    /// The key for the tokens of a client; `nil` when there is none for the algorithm it is registered for.
    func key(for client: RegisteredClient) -> (any SigningKey)? {
        guard let algorithm = client.idTokenSignedResponseAlgorithm else { return keys.first }
        return keys.first { $0.algorithm == algorithm }
    }

    /// A new id_token about the person of a grant; a refresh gives it no `nonce` (section 12.2).
    func makeIDToken(
        for grant: Grant,
        client: RegisteredClient,
        nonce: String?,
        accessToken: AccessToken,
        at now: Timestamp
    ) async throws(JOSEError) -> SecurityToken {
        guard let key = key(for: client) else {
            throw JOSEError(.keyNotFound, "there is no key for the id_token_signed_response_alg of the client")
        }
        var claims: JSONObject = [
            "iss": .string(configuration.issuer.description),
            "sub": .string(grant.subject),
            "aud": .string(client.clientID),
            "iat": .number(JSONNumber(now.secondsSince1970)),
            "exp": .number(JSONNumber((now + configuration.lifetimes.accessToken).secondsSince1970)),
            "auth_time": .number(JSONNumber(grant.authenticatedAt.secondsSince1970)),
        ]
        grant.authentication.write(to: &claims)
        claims["nonce"] = nonce.map { .string($0) }
        claims["at_hash"] = key.algorithm.halfHash(of: accessToken.value).map { .string($0) }
        return SecurityToken(try await sign(claims, with: key), type: .idToken)
    }

    /// What an id_token of this server says, also when it has expired; `nil` for anything else.
    func hint(_ text: String) -> IDTokenHint? {
        // `typ` is always written here: access tokens have another.
        guard let jws = try? CompactJWS(parsing: text),
            let type = jws.header["typ"]?.stringValue, MediaType.isSame(type, "JWT"),
            keys.contains(where: { (try? jws.verify(with: $0.publicKey, allowing: [$0.algorithm])) != nil }),
            let claims = try? JWTClaims(jws.payloadObject()),
            claims.issuer?.isIdentical(to: configuration.issuer.description) ?? false,
            let subject = claims.subject, let clientID = claims.string("aud")
        else { return nil }
        return IDTokenHint(subject: subject, clientID: clientID)
    }

    private func sign(_ claims: JSONObject, with key: some SigningKey) async throws(JOSEError) -> String {
        let header: JSONObject = ["typ": "JWT", "kid": .string(key.publicKey.thumbprint.description)]
        return try await CompactJWS.sign(header: header, payload: JSONValue.object(claims).encoded(), with: key)
    }
}

extension SignatureAlgorithm {
    /// The left half of the hash that belongs to the algorithm (section 3.1.3.6); `nil` when none does.
    fileprivate func halfHash(of text: String) -> String? {
        let hash: HashAlgorithm? =
            switch rawValue.suffix(3) {
            case "256": .sha256
            case "384": .sha384
            case "512": .sha512
            default: self == .edDSA || self == .ed25519 ? .sha512 : nil
            }
        return hash.map { Base64URL.encode(Array($0.hash(Array(text.utf8)).prefix($0.digestCount / 2))) }
    }
}
