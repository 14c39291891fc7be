// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthCore
import OAuthSystem
import StrictJSON

/// The requirements for one id_token, in addition to those for every one: rules 11 to 13 of OpenID Connect Core section
/// 3.1.3.7, the hashes of section 3.1.3.6, and the user of section 5.5.1.
struct IDTokenRequirements {
    /// The clocks of server and device may differ by a few seconds.
    private static let leeway = Duration.seconds(10)

    /// The nonce that was sent; `nil` for a sign-in without a nonce, whose token has none.
    var nonce: String?
    /// When the user must have authenticated at the earliest.
    var authenticatedSince: Timestamp?
    /// The acceptable authentication contexts: any when empty; `nil` when none is required.
    var requiredACRValues: [String]?
    var subject: String?
    /// The access token that the id_token was issued with.
    var accessToken: AccessToken
    var code: AuthorizationCode?

    func check(_ token: SignedJWT, at now: Timestamp) throws(JOSEError) {
        let claims = token.claims
        try checkNonce(claims)
        try checkContext(claims)
        try checkAuthenticationTime(claims, now)
        try Self.checkHash("at_hash", of: accessToken.value, token)
        if let code { try Self.checkHash("c_hash", of: code.value, token) }
    }

    /// Rule 11: the token belongs to this sign-in.
    private func checkNonce(_ claims: JWTClaims) throws(JOSEError) {
        let received = try claims.object.optionalString("nonce")
        guard let nonce else {
            guard received == nil else { throw Self.wrong("'nonce' is of another sign-in") }
            return
        }
        guard let received else { throw Self.wrong("'nonce' is missing") }
        guard received.isIdenticalInConstantTime(to: nonce) else {
            throw Self.wrong("'nonce' is not the one that was sent")
        }
    }

    /// Rule 12.
    private func checkContext(_ claims: JWTClaims) throws(JOSEError) {
        guard let requiredACRValues else { return }
        guard let acr = try claims.object.optionalString("acr") else {
            throw Self.wrong("'acr' is missing although it was essential")
        }
        guard requiredACRValues.isEmpty || requiredACRValues.contains(where: { $0.isIdentical(to: acr) }) else {
            throw Self.wrong("'acr' is none of those that were essential")
        }
    }

    /// Rule 13.
    private func checkAuthenticationTime(_ claims: JWTClaims, _ now: Timestamp) throws(JOSEError) {
        let time = try claims.object.optionalDate("auth_time")
        if let time, time > now + Self.leeway { throw Self.wrong("'auth_time' lies in the future") }
        guard let authenticatedSince else { return }
        guard let time else { throw Self.wrong("'auth_time' is missing although a 'max_age' was set") }
        guard time >= authenticatedSince - Self.leeway else {
            throw Self.wrong("the user signed in longer ago than 'max_age' allows")
        }
    }

    /// Whether it is the user who was asked for.
    func accepts(_ idToken: IDToken) -> Bool {
        subject.map { idToken.subject.isIdentical(to: $0) } ?? true
    }

    private static func checkHash(
        _ name: JSONName,
        of secret: String,
        _ token: SignedJWT
    ) throws(JOSEError) {
        guard let received = try token.claims.object.optionalString(name) else { return }
        guard let expected = token.message.algorithm.halfHash(of: secret),
            received.isIdenticalInConstantTime(to: expected)
        else {
            throw wrong("'\(name.text)' is not the hash of what the token came with")
        }
    }

    private static func wrong(_ reason: String) -> JOSEError { JOSEError(.invalidClaim, reason) }
}
