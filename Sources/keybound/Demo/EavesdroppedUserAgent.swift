// SPDX-License-Identifier: Apache-2.0

import OAuthClient
import Synchronization

/// A user agent of which somebody reads the answer first: another app that listens to the same redirects, say.
final class EavesdroppedUserAgent: UserAgent {
    private let base: SystemBrowser
    private let seen = Mutex<AuthorizationCallback?>(nil)

    init(_ base: SystemBrowser) {
        self.base = base
    }

    /// What the browser brought, with the code.
    var callback: AuthorizationCallback? { seen.withLock { $0 } }

    func authorize(
        redirectURI: String,
        _ makeRequest: @Sendable (_ redirectURI: String) async throws -> AuthorizationRequest
    ) async throws -> AuthorizationCallback {
        let callback = try await base.authorize(redirectURI: redirectURI, makeRequest)
        seen.withLock { $0 = callback }
        return callback
    }
}
