// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// A URL for the user's browser and for nothing else: it has the `state` of a sign-in or an id_token.
///
/// It does not print, so that it stays out of logs.
public struct BrowserURL: Sendable, RedactedSecret {
    private let url: String

    init(_ url: String) {
        self.url = url
    }

    /// The URL as text, to show it to the user or to open it.
    ///
    /// - Returns: An absolute http or https URL.
    public func reveal() -> String { url }

    /// Opens the URL in a browser.
    ///
    /// - Parameter launcher: Opens the browser.
    /// - Throws: ``OAuthClientError/Code/browserUnavailable``.
    public func open(in launcher: some BrowserLauncher) async throws(OAuthClientError) {
        try await launcher.open(url)
    }
}
