// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthSystem

/// What the browser and the loopback receiver say to one another, without sockets: one answer is waited for, and everything
/// else on the machine that knocks is sent away.
struct LoopbackHandler {
    /// `127.0.0.1:49152`: what `Host` must be, so that no name of another site can lead here (DNS rebinding).
    let authority: String
    /// The path of the redirect URI.
    let path: String
    /// The `state` of the sign-in that waits.
    let state: String
    /// Whether the answer is asked for as a form.
    let expectsForm: Bool
    /// The right answer.
    private(set) var callback: AuthorizationCallback?
    /// Whether the browser has seen the last page.
    private(set) var isDone = false
    private var outcome = LoopbackPage.Outcome.signedIn

    init(authority: String, path: String, state: String, expectsForm: Bool = false) {
        self.authority = authority
        self.path = path
        self.state = state
        self.expectsForm = expectsForm
    }

    /// Answers one request.
    mutating func answer(_ request: LoopbackRequest) -> [UInt8] {
        guard request.host == authority else { return LoopbackPage.response(status: "400 Bad Request") }
        switch request.method {
        case "GET": return responseURL(request)
        case "POST" where expectsForm: return responseForm(request)
        default: return LoopbackPage.response(status: "405 Method Not Allowed")
        }
    }

    private mutating func responseURL(_ request: LoopbackRequest) -> [UInt8] {
        if request.path == donePath, callback != nil {
            isDone = true
            return LoopbackPage.response(status: "200 OK", outcome: outcome)
        }
        guard request.path == path, let query = request.query else { return Self.notFound }
        // Also where a form was asked for: that the server did something else is for the client to refuse at once.
        return take(query, AuthorizationCallback(url: url(request)))
    }

    /// A form comes from a page of another site, which is what its mode is for; `state` tells it from other forms.
    private mutating func responseForm(_ request: LoopbackRequest) -> [UInt8] {
        guard request.path == path else { return Self.notFound }
        guard request.hasForm else { return LoopbackPage.response(status: "415 Unsupported Media Type") }
        guard let form = try? FormParameters(decoding: request.body) else {
            return LoopbackPage.response(status: "400 Bad Request")
        }
        return take(form, AuthorizationCallback(url: url(request), formBody: request.body))
    }

    /// Takes an answer that is that of the sign-in that waits.
    ///
    /// A wrong `state` does not end the wait: any page of the web can send a browser here.
    private mutating func take(_ parameters: FormParameters, _ answer: AuthorizationCallback) -> [UInt8] {
        let glimpse = UnverifiedCallback(parameters)
        guard callback == nil, let received = glimpse.state, ConstantTime.areEqual(received, state) else {
            return Self.notFound
        }
        callback = answer
        outcome = glimpse.outcome
        // The code leaves the address bar and the history.
        return LoopbackPage.response(status: "303 See Other", location: donePath)
    }

    private func url(_ request: LoopbackRequest) -> String { "http://" + authority + request.target }

    private var donePath: String { path == "/done" ? "/finished" : "/done" }

    private static var notFound: [UInt8] { LoopbackPage.response(status: "404 Not Found") }
}
