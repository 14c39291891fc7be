// SPDX-License-Identifier: Apache-2.0

/// The last page, when there is no app for the browser to return to by itself.
struct NoticePage {
    /// The outcome.
    enum Outcome: Sendable {
        case signedOut
        case stillSignedIn
        case deviceAllowed
        case deviceDenied
        /// A user opened the address of the server; the value is the path of its metadata.
        case home(metadata: String)
        /// A user opened the login page without a request of an app.
        case signInWithoutApp
    }

    /// The server's name, as configured.
    let serverName: String
    /// The outcome.
    let outcome: Outcome
    /// The way to the app, for a user who wants to go there.
    var wayBack: ErrorPage.WayBack?

    /// The whole document.
    func html() -> String {
        PageFrame(
            serverName: serverName,
            title: heading,
            main: """
                <h1>\(heading)</h1>
                <p>\(explanation)</p>
                \(more)
                """
        ).html()
    }

    private var heading: String {
        switch outcome {
        case .signedOut: "You are signed out"
        case .stillSignedIn: "You are still signed in"
        case .deviceAllowed: "Your device is connected"
        case .deviceDenied: "The device gets nothing"
        case .home: "This is \(DisplayName(serverName, orElse: "a sign-in server").text)"
        case .signInWithoutApp: "Start in your app"
        }
    }

    private var explanation: String {
        switch outcome {
        case .signedOut:
            "This browser is signed out here. You are still signed in to your apps; sign out of each of them too."
        case .stillSignedIn: "Nothing was changed. You can close this page."
        case .deviceAllowed: "Return to your device; it continues within a few seconds. You can close this page."
        case .deviceDenied: "You denied access, and the code no longer works. You can close this page."
        case .home: "Apps send you here when you sign in; there is nothing to do on this page."
        case .signInWithoutApp: "This page opens by itself when an app asks you to sign in."
        }
    }

    private var more: HTMLText? {
        guard case .home(let metadata) = outcome else { return wayBack?.html }
        return "<p class=\"next\">For developers: <a href=\"\(metadata)\">the metadata of this server</a></p>"
    }
}
