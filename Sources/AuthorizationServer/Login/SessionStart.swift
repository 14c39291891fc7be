// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
import ServerStorage

/// The session of a user who signed in for a request, and its cookie.
struct SessionStart {
    let session: BrowserSession
    let cookie: BrowserCookie

    /// Stores the session under a new cookie, so that a cookie planted before the login is worthless (session
    /// fixation).
    init(
        of subject: String,
        at authenticatedAt: Timestamp,
        by authentication: AuthenticationContext,
        for pending: any PendingSignIn,
        replacing previous: BrowserCookie,
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
        try await services.stored { try await $0.start(session, replacing: hash) }
        (self.session, self.cookie) = (session, cookie)
    }
}
