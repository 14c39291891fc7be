// SPDX-License-Identifier: Apache-2.0

/// The last page, when there is no app for the browser to return to.
struct NoticePage {
    /// The outcome.
    enum Outcome: Sendable {
        case signedOut
        case stillSignedIn
        case deviceAllowed
        case deviceDenied
    }

    /// The server's name, as configured.
    let serverName: String
    /// The outcome.
    let outcome: Outcome

    /// The whole document.
    func html() -> String {
        PageFrame(
            serverName: serverName,
            title: heading,
            main: """
                <h1>\(heading)</h1>
                <p>\(explanation)</p>
                """
        ).html()
    }

    private var heading: String {
        switch outcome {
        case .signedOut: "You are signed out"
        case .stillSignedIn: "You are still signed in"
        case .deviceAllowed: "Your device is connected"
        case .deviceDenied: "The device gets nothing"
        }
    }

    private var explanation: String {
        switch outcome {
        case .signedOut:
            "This browser is signed out here. Apps that you are signed in to stay so; sign out of them too."
        case .stillSignedIn: "Nothing was changed. You can close this page."
        case .deviceAllowed: "Go back to it; it goes on within a few seconds. You can close this page."
        case .deviceDenied: "You said no, and the code no longer works. You can close this page."
        }
    }
}
