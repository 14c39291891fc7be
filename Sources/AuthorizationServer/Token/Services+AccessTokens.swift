// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthSystem
import ServerStorage

extension Services {
    /// The claims of an access token of this server, signed or stored; `nil` for anything else.
    ///
    /// An expired or revoked JWT is found too; a stored token only while it is valid.
    func claims(ofAccessToken text: String, at now: Timestamp) async throws(ProtocolFailure) -> JWTClaims? {
        guard text.hasPrefix(TokenIssuer.accessTokenPrefix) else { return try await signedClaims(of: text) }
        guard let secret = GrantSecret(text, as: .accessToken) else { return nil }
        let stored = try await stored { try await $0.liveAccessToken(secret, at: now) }
        return stored.flatMap { try? JWTClaims($0.claims) }
    }

    /// The claims of an access token of this server that was looked up before; see ``claims(ofAccessToken:at:)``.
    func claims(ofAccessToken text: String, _ read: TokenRead?) async throws(ProtocolFailure) -> JWTClaims? {
        guard text.hasPrefix(TokenIssuer.accessTokenPrefix) else { return try await signedClaims(of: text) }
        return read?.accessToken.flatMap { try? JWTClaims($0.claims) }
    }

    private func signedClaims(of text: String) async throws(ProtocolFailure) -> JWTClaims? {
        do {
            return try await tokens.claimsIgnoringExpiry(of: text, with: configuration.signatures)
        } catch {
            // The request was cancelled while its signature waited in a batch.
            throw .unavailable
        }
    }
}
