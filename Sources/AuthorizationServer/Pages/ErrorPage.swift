// SPDX-License-Identifier: Apache-2.0

/// The page for a request whose error must not be redirected.
///
/// For an unknown client, an unregistered redirect URI or an expired request, the browser stays here: redirecting would
/// make the server an open redirector (RFC 6749 section 4.1.2.1, RFC 9700 section 4.11.2).
struct ErrorPage {
    /// What happened, as the user sees it; no two have the same title.
    enum Kind: Sendable, Hashable, CaseIterable {
        /// The client sent a request that cannot be answered.
        case rejected
        /// The request was answered, or took too long.
        case ended
        /// The browser sent no cookie.
        case withoutCookies
        /// The request belongs to another browser, or the form did not come from a page of this server in this one.
        case elsewhere
        case tooManyAttempts
        case busy
        case notFound
        case cannotSignOut

        var title: String {
            switch self {
            case .rejected: "This sign-in cannot continue"
            case .ended: "This sign-in has ended"
            case .withoutCookies: "Cookies are off"
            case .elsewhere: "This sign-in is open elsewhere"
            case .tooManyAttempts: "Too many attempts"
            case .busy: "The server cannot respond right now"
            case .notFound: "Page not found"
            case .cannotSignOut: "You cannot be signed out like this"
            }
        }

        var explanation: String {
            switch self {
            case .rejected, .cannotSignOut:
                "Go back to the app and start again. If it happens again, tell the people who make the app."
            case .ended: "It was already answered, or it took too long. Go back to the app and start again."
            case .withoutCookies:
                "Allow cookies for this server in your browser, then go back to the app and start again."
            case .elsewhere:
                "Continue in the browser or tab in which you signed in, or go back to the app and start again."
            case .tooManyAttempts: "Wait a moment, then go back to the app and start again."
            case .busy: "Nothing was lost. Please try again in a moment."
            case .notFound: "There is no page at this address. If an app sent you here, tell the app's developer."
            }
        }
    }

    /// What leads to the client, with the error, when the user presses it.
    enum WayBack {
        /// The address, with its parameters.
        case link(String, RedirectDestination)
        /// The address and the fields that are posted there.
        case form(String, [(name: String, value: String)], RedirectDestination)

        /// The link or the button.
        var html: HTMLText {
            switch self {
            case .link(let address, let destination):
                "<p class=\"next\"><a href=\"\(address)\">Go back to \(destination.phrase)</a></p>"
            case .form(let address, let fields, let destination):
                """
                <form method="post" action="\(address)">
                \(HTMLText(hiddenFields: fields))
                <button class="main" type="submit">Go back to \(destination.phrase)</button>
                </form>
                """
            }
        }
    }

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
    /// The identifier of the request, which the log and audit events contain too.
    var requestID: String?
    /// The way to the client, if the error is for it.
    var wayBack: WayBack?

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
                <p>\(DisplayName(hint, limit: 600, orElse: "See the server's log for details."))</p>
                </details>
                \(wayBack?.html)
                """,
            footer: requestID.map { "Reference: <code>\(DisplayName($0, limit: 64, orElse: "none"))</code>" }
        ).html()
    }

    private var shownTitle: DisplayName { DisplayName(title, limit: 120, orElse: "This request cannot continue") }
}
