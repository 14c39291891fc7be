// SPDX-License-Identifier: Apache-2.0

import OAuthClient
import Synchronization

/// A user agent of which somebody reads the answer first: another app that listens to the same redirects, say.
final class EavesdroppedUserAgent: UserAgent {
    private let base: SystemBrowser
    private let seen = Mutex<String?>(nil)

    init(_ base: SystemBrowser) {
        self.base = base
    }

    /// The URL that the browser was sent to, with the code.
    var callbackURL: String? { seen.withLock { $0 } }

    func authorize(
        redirectURI: String,
        _ makeRequest: @Sendable (_ redirectURI: String) async throws -> AuthorizationRequest
    ) async throws -> String {
        let url = try await base.authorize(redirectURI: redirectURI, makeRequest)
        seen.withLock { $0 = url }
        return url
    }
}
