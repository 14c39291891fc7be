// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCrypto

/// What the browser and the loopback receiver say to one another, without sockets: one answer is waited for, and everything
/// else on the machine that knocks is sent away.
struct LoopbackConversation {
    /// `127.0.0.1:49152`: what `Host` must be, so that no name of another site can lead here (DNS rebinding).
    let authority: String
    /// The path of the redirect URI.
    let path: String
    /// The `state` of the sign-in that waits.
    let state: String
    /// The URL that the right answer arrived at.
    private(set) var callbackURL: String?
    /// Whether the browser has seen the last page.
    private(set) var isDone = false
    private var outcome = LoopbackPage.Outcome.signedIn

    init(authority: String, path: String, state: String) {
        self.authority = authority
        self.path = path
        self.state = state
    }

    /// Answers one request.
    mutating func answer(_ request: LoopbackRequest) -> [UInt8] {
        guard request.host == authority else { return LoopbackPage.response(status: "400 Bad Request") }
        guard request.method == "GET" else { return LoopbackPage.response(status: "405 Method Not Allowed") }
        if request.path == donePath, callbackURL != nil {
            isDone = true
            return LoopbackPage.response(status: "200 OK", outcome: outcome)
        }
        guard request.path == path, callbackURL == nil, let query = request.query, isExpected(query) else {
            return LoopbackPage.response(status: "404 Not Found")
        }
        callbackURL = "http://" + authority + request.target
        outcome = Self.outcome(of: query)
        // The code leaves the address bar and the history.
        return LoopbackPage.response(status: "303 See Other", location: donePath)
    }

    /// What the page says: only a sign-in brings a code, or a response that one is in.
    private static func outcome(of query: FormParameters) -> LoopbackPage.Outcome {
        guard query.values(for: "error").isEmpty else { return .refused }
        let isSignIn = !query.values(for: "code").isEmpty || !query.values(for: "response").isEmpty
        return isSignIn ? .signedIn : .signedOut
    }

    /// Whether the answer is that of the sign-in that waits.
    ///
    /// A wrong `state` does not end the wait: any page of the web can send a browser here.
    private func isExpected(_ query: FormParameters) -> Bool {
        guard let received = try? query.value(for: "state") else { return false }
        return ConstantTime.areEqual(received, state)
    }

    private var donePath: String { path == "/done" ? "/finished" : "/done" }
}
