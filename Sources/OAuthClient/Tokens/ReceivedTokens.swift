// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import OAuthSystem
import StrictJSON

/// The tokens of a response, also of one that cannot be used: they are valid, and must be kept or revoked.
struct ReceivedTokens: Sendable, RedactedSecret {
    let refreshToken: RefreshToken?
    let accessToken: AccessToken?

    init(_ tokens: TokenSet) {
        (refreshToken, accessToken) = (tokens.refreshToken, tokens.accessToken)
    }

    init(_ answer: TokenResponse) {
        (refreshToken, accessToken) = (answer.refreshToken, answer.accessToken)
    }

    /// Looks for tokens in a response, whatever else is in it.
    init(_ response: HTTPResponse) {
        let object = try? response.jsonObject()
        func token(_ name: String) -> String? {
            let text = object?[name]?.stringValue ?? ""
            return !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } ? text : nil
        }
        refreshToken = token("refresh_token").map { RefreshToken($0) }
        accessToken = token("access_token").map { AccessToken($0) }
    }
}

extension OAuth2Client {
    /// How long a caller waits at most for a revocation that only cleans up.
    private static let revocationPatience = Duration.seconds(5)

    /// Revokes tokens that no caller gets, also for a caller that is cancelled; best effort.
    @Sendable func discard(_ tokens: TokenSet) async {
        await Uncancelled.attempt(atMost: Self.revocationPatience) { try? await revoke(tokens) }
    }

    /// Revokes tokens that no caller needs any more, at the same time.
    func discard(_ all: [TokenSet]) async {
        await withTaskGroup(of: Void.self) { group in
            for tokens in all { group.addTask { await discard(tokens) } }
        }
    }

    /// Revokes tokens that no caller gets, also for a caller that is cancelled.
    ///
    /// Best effort: if the server cannot be reached, they stay valid until they expire.
    ///
    /// - Parameters:
    ///   - tokens: The tokens. Without a refresh token, the access token is revoked.
    ///   - kept: A refresh token that must stay valid: a server that does not rotate sends the old one again.
    func discard(_ tokens: ReceivedTokens, insteadOf kept: RefreshToken? = nil) async {
        await Uncancelled.attempt(atMost: Self.revocationPatience) {
            if let refreshToken = tokens.refreshToken, refreshToken != kept {
                try? await revoke(refreshToken)
            } else if let accessToken = tokens.accessToken {
                try? await revoke(accessToken)
            }
        }
    }
}
