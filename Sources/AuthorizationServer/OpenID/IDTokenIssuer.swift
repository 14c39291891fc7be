// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import ServerStorage
import StrictJSON

/// Issues ID tokens, and recognizes them as hints (OpenID Connect Core section 2).
struct IDTokenIssuer: Sendable {
    /// Claims of every ID token; others are about the user, such as `preferred_username` with the scope `profile`.
    static let claims = [
        "iss", "sub", "aud", "iat", "exp", "auth_time", "nonce", "acr", "amr", "at_hash",
    ]

    let configuration: ServerConfiguration
    let keys: CurrentSigningKeys

    /// The signing keys, the default first; clients of FAPI 2.0 may not use RS256 (section 5.4.1).
    var signingKeys: [any SigningKey] {
        let allowed = configuration.profile.signatureAlgorithms
        return keys.now.idTokenKeys.filter { allowed?.contains($0.algorithm) ?? true }
    }

    /// The key for the ID tokens of a client; `nil` if there is none for its registered algorithm.
    func key(for client: RegisteredClient) -> (any SigningKey)? {
        guard let algorithm = client.idTokenSignedResponseAlgorithm else { return signingKeys.first }
        return signingKeys.first { $0.algorithm == algorithm }
    }

    /// Makes an ID token about the user of a grant; after a refresh, without `nonce` (section 12.2).
    ///
    /// - Parameters:
    ///   - grant: The grant.
    ///   - client: The client that the token is for.
    ///   - user: Claims about the user, those that the scope releases (section 5.4); none replaces a claim of the grant.
    ///   - nonce: `nonce` of the authorization request.
    ///   - accessToken: The access token that is issued with it.
    ///   - now: The time.
    /// - Returns: The signed token.
    /// - Throws: A failure of the key.
    func makeIDToken(
        for grant: Grant,
        client: RegisteredClient,
        about user: JSONObject,
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
        claims.addMissing(user)
        claims["nonce"] = nonce.map { .string($0) }
        claims["at_hash"] = key.algorithm.halfHash(of: accessToken.value).map { .string($0) }
        return SecurityToken(try await sign(claims, with: key), type: .idToken)
    }

    /// The claims of an ID token of this server, expired or not; `nil` for anything else.
    func hint(_ text: String) -> IDTokenHint? {
        // ID tokens of this server always have `typ`; access tokens have another value.
        guard let jws = try? CompactJWS(parsing: text),
            let type = jws.header["typ"]?.stringValue, MediaType.isSame(type, "JWT"),
            jws.isSigned(byOneOf: keys.now.idTokenVerificationKeys),
            let claims = try? JWTClaims(jws.payloadObject()),
            claims.issuer?.isIdentical(to: configuration.issuer.description) ?? false,
            let subject = claims.subject, let clientID = claims.string("aud")
        else { return nil }
        return IDTokenHint(subject: subject, clientID: clientID)
    }

    private func sign(_ claims: JSONObject, with key: some SigningKey) async throws(JOSEError) -> String {
        let header: JSONObject = ["typ": "JWT", "kid": .string(key.keyID)]
        return try await CompactJWS.sign(header: header, payload: JSONValue.object(claims).encoded(), with: key)
    }
}
