// SPDX-License-Identifier: Apache-2.0

/// Opens a URL in a browser of the user.
public protocol BrowserLauncher: Sendable {
    /// Opens a URL. Returns when the browser has started, or when the task is cancelled.
    ///
    /// - Parameter url: An http or https URL.
    /// - Throws: ``OAuthClientError/Code/browserUnavailable``.
    func open(_ url: String) async throws(OAuthClientError)
}
