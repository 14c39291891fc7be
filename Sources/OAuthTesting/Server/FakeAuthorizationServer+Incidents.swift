// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import ServerStorage

extension FakeAuthorizationServer {
    /// Injects a fault into the next requests to this server, including those of browsers.
    ///
    /// Faults queue up; each request takes the first matching one.
    ///
    /// - Parameters:
    ///   - fault: The fault.
    ///   - times: The number of requests.
    ///   - path: Only requests for this path, such as `/par`, `/authorize`, `/token` or `/revoke`; `nil` for any.
    public func answerNext(with fault: NetworkFault, times: Int = 1, at path: String? = nil) {
        room.faults.add(fault, times: times, path: path)
    }

    /// Removes all injected faults that have not occurred yet.
    public func answerAsEver() {
        room.faults.removeAll()
    }

    /// Denies the next sign-in with `access_denied`, as if the user had chosen "Deny" (RFC 6749 section 4.1.2.1).
    public func refuseNextSignIn() {
        room.refuseNextConsent()
    }

    /// Advances the clock until every access token has expired, for the client and for the API.
    public func expireAccessTokens() {
        clock.advance(by: room.parts.configuration.lifetimes.accessToken + Self.leeway + .seconds(1))
    }

    /// Advances the clock until every token has expired, including refresh tokens.
    public func expireAllTokens() {
        clock.advance(by: room.parts.configuration.lifetimes.refreshToken + .seconds(1))
    }

    /// Ends sessions on the server: their refresh tokens are no longer valid.
    ///
    /// An access token that was issued before is a signed JWT, valid until it expires. As with a real server, the app
    /// notices at its next refresh; ``expireAccessTokens()`` causes that.
    ///
    /// - Parameter username: The user whose sessions end; `nil` for all users, who are then signed out in their browsers too.
    /// - Throws: ``OAuthTestingError/Code/invalidConfiguration`` for an unknown name.
    public func revokeSessions(of username: String? = nil) throws(OAuthTestingError) {
        let now = clock.now()
        guard let username else {
            _ = storage.revokeGrants(of: nil, at: now)
            return
        }
        guard let user = storage.users().first(where: { $0.username.lowercased() == username.lowercased() }) else {
            throw OAuthTestingError(.invalidConfiguration, "there is no person of this name")
        }
        _ = storage.revokeGrants(of: user.subject, at: now)
    }

    /// Signs access tokens with a new key from now on; the API immediately rejects those of the previous key.
    ///
    /// - Throws: ``OAuthTestingError/Code/invalidConfiguration`` if the platform makes no key.
    public func rotateSigningKey() throws(OAuthTestingError) {
        do {
            try room.replaceSigningKey()
        } catch {
            throw OAuthTestingError(.invalidConfiguration, "the platform did not make a key", underlying: error)
        }
    }

    /// The clock skew that an API tolerates.
    static let leeway = Duration.seconds(10)
}
