// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthSystem
import StrictJSON

/// The expected kind of a signed response.
struct SignedResponseKind {
    /// The accepted media types in `typ`.
    let types: Set<String>
    /// Whether `typ`, `iss`, `aud` and `iat` are required; those that are present must be right in any case.
    let isStrict: Bool
    /// In characters.
    let maximumLength = 65_536

    /// OpenID Connect Core section 5.3.2: `iss` and `aud` should be present, and often are not.
    static let userInfo = Self(types: ["JWT", "userinfo+jwt"], isStrict: false)
    /// RFC 9701 section 5.
    static let introspection = Self(types: ["token-introspection+jwt"], isStrict: true)
}

extension OAuth2Client {
    /// The claims of a response that the server signed for this client.
    ///
    /// - Throws: ``JOSEError`` for a violated rule, and the errors of ``verificationKeys(for:)``.
    func claims(ofSignedResponse text: String, _ kind: SignedResponseKind) async throws -> JSONObject {
        let token = try SignedJWT(text, maximumLength: kind.maximumLength)
        try Self.checkType(of: token, kind)
        try await verificationKeys(for: token).verify(token, allowing: configuration.idTokenAlgorithms)
        try checkClaims(token.claims, kind, at: server.clock.now())
        return token.claims.object
    }

    private static func checkType(of token: SignedJWT, _ kind: SignedResponseKind) throws(JOSEError) {
        let isRight =
            switch token.message.header["typ"] {
            case .string(let type): kind.types.contains { MediaType.isSame(type, $0) }
            case nil: !kind.isStrict
            default: false
            }
        guard isRight else { throw JOSEError(.invalidClaim, "'typ' is that of another kind of token") }
    }

    private func checkClaims(_ claims: JWTClaims, _ kind: SignedResponseKind, at now: Timestamp) throws(JOSEError) {
        let leeway = Duration.seconds(10)
        guard claims.issuer?.isIdentical(to: issuer) ?? !kind.isStrict else {
            throw JOSEError(.invalidClaim, "'iss' is not the expected issuer")
        }
        let names = claims.audience
        guard names.isEmpty ? !kind.isStrict : names.contains(where: { $0.isIdentical(to: clientID) }) else {
            throw JOSEError(.invalidClaim, "'aud' does not name this client")
        }
        guard claims.issuedAt.map({ $0 <= now + leeway }) ?? !kind.isStrict else {
            throw JOSEError(.notYetValid, "'iat' is missing or lies in the future")
        }
        guard claims.expiresAt.map({ now < $0 + leeway }) ?? true else {
            throw JOSEError(.expired, "the answer has expired")
        }
    }
}
