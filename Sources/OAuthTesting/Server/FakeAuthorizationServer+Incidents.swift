// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import ServerStorage

extension FakeAuthorizationServer {
    /// Plans what goes wrong with the next requests to this server, those of browsers included.
    ///
    /// Plans add up; each request uses the first one up that is meant for it.
    ///
    /// - Parameters:
    ///   - fault: What goes wrong.
    ///   - times: With how many requests.
    ///   - path: Only with requests for this path, such as `/par`, `/authorize`, `/token` or `/revoke`; any when `nil`.
    public func answerNext(with fault: NetworkFault, times: Int = 1, at path: String? = nil) {
        room.faults.add(fault, times: times, path: path)
    }

    /// Forgets every fault that was planned and has not happened.
    public func answerAsEver() {
        room.faults.removeAll()
    }

    /// Refuses the next sign-in with `access_denied`, as if the person had chosen "Deny" (RFC 6749 section 4.1.2.1).
    public func refuseNextSignIn() {
        room.refuseNextConsent()
    }

    /// Lets so much time pass that every access token has expired, for the client and for the API.
    public func expireAccessTokens() {
        clock.advance(by: room.parts.configuration.lifetimes.accessToken + Self.leeway + .seconds(1))
    }

    /// Lets so much time pass that every token has expired, refresh tokens too.
    public func expireAllTokens() {
        clock.advance(by: room.parts.configuration.lifetimes.refreshToken + .seconds(1))
    }

    /// Ends sessions from the server's side: no refresh token is good any more.
    ///
    /// An access token that was given out before is a signed statement, and good until it expires: as with a real server,
    /// the app gets to know at its next refresh. ``expireAccessTokens()`` brings that about.
    ///
    /// - Parameter username: Whose sessions; everybody's when `nil`.
    /// - Throws: ``OAuthTestingError/Code/invalidConfiguration`` for a name that nobody has.
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

    /// Signs access tokens with a new key from now on; those of the key before are refused by the API at once.
    ///
    /// - Throws: ``OAuthTestingError/Code/invalidConfiguration`` when the platform makes no key.
    public func rotateSigningKey() throws(OAuthTestingError) {
        do {
            try room.replaceSigningKey()
        } catch {
            throw OAuthTestingError(.invalidConfiguration, "the platform did not make a key", underlying: error)
        }
    }

    /// How far an API lets clocks differ.
    static let leeway = Duration.seconds(10)
}
