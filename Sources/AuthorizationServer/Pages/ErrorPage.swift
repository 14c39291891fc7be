// SPDX-License-Identifier: Apache-2.0

/// The page for a request whose error must not be redirected.
///
/// For an unknown client, an unregistered redirect URI or an expired request, the browser stays here: redirecting would
/// make the server an open redirector (RFC 6749 section 4.1.2.1, RFC 9700 section 4.11.2).
struct ErrorPage {
    /// The server's name, as configured.
    let serverName: String
    /// What happened, in a few words for the user.
    let title: String
    /// What the user can do, in a sentence or two.
    let explanation: String
    /// The OAuth error code, for developers.
    let code: String
    /// What the developer of the client should check; never a received value that may be a secret.
    let hint: String

    /// The whole document.
    func html() -> String {
        PageFrame(
            serverName: serverName,
            title: "Error: \(shownTitle.text)",
            main: """
                <h1>\(shownTitle)</h1>
                <p>\(DisplayName(explanation, limit: 400, orElse: "Go back to the app and start again."))</p>
                <details>
                <summary>For the developer: <code>\(DisplayName(code, limit: 64, orElse: "server_error"))</code></summary>
                <p>\(DisplayName(hint, limit: 600, orElse: "The log of the server says more."))</p>
                </details>
                """
        ).html()
    }

    private var shownTitle: DisplayName { DisplayName(title, limit: 120, orElse: "This request cannot continue") }
}
