// SPDX-License-Identifier: Apache-2.0

import OAuthClient
import Synchronization

/// A user agent whose response an attacker reads first, for example another app that receives the same redirects.
final class RecordingUserAgent: UserAgent {
    private let base: SystemBrowser
    private let seen = Mutex<AuthorizationCallback?>(nil)

    init(_ base: SystemBrowser) {
        self.base = base
    }

    /// The redirect with the code.
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
