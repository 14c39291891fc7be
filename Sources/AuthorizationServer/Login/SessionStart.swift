// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
import ServerStorage

/// The session of a user who signed in for a request, and its cookie.
struct SessionStart {
    let session: BrowserSession
    let cookie: BrowserCookie

    /// Stores the session under a new cookie, so that a cookie planted before the login is worthless (session
    /// fixation).
    ///
    /// It is `nil`, and nothing is stored, if the account was removed or has another password since.
    ///
    /// - Parameters:
    ///   - subject: The user.
    ///   - authenticatedAt: When the user authenticated.
    ///   - authentication: How the user authenticated.
    ///   - pending: The request.
    ///   - previous: The browser's previous cookie.
    ///   - password: The hash that the user's password was checked against; `nil` if none was.
    ///   - now: The time.
    ///   - services: The server.
    /// - Throws: A failure of the storage.
    init?(
        of subject: String,
        at authenticatedAt: Timestamp,
        by authentication: AuthenticationContext,
        for pending: any PendingSignIn,
        replacing previous: BrowserCookie,
        judgedBy password: PasswordHash?,
        now: Timestamp,
        _ services: Services
    ) async throws(ProtocolFailure) {
        let shard = try await services.shard(of: subject)
        let cookie = BrowserCookie(in: shard, at: now, entropy: services.entropy)
        let session = BrowserSession(
            idHash: cookie.hash,
            subject: subject,
            authenticatedAt: authenticatedAt,
            authentication: authentication,
            requestHash: pending.uri.hash,
            expiresAt: now + services.configuration.lifetimes.session
        )
        let hash = previous.hash
        let isStored = try await services.stored {
            try await $0.start(session, replacing: hash, judgedBy: password)
        }
        guard isStored else { return nil }
        (self.session, self.cookie) = (session, cookie)
    }
}
