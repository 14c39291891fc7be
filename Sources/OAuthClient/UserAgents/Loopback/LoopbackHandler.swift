// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthSystem

/// The loopback receiver's HTTP exchange, without sockets.
///
/// Accepts the one expected authorization response and rejects every other request.
struct LoopbackHandler {
    /// `127.0.0.1:49152`: the required `Host`, so that the domain name of another site cannot be used (DNS rebinding).
    let authority: String
    /// The path of the redirect URI.
    let path: String
    /// The `state` of the waiting sign-in.
    let state: String
    /// Whether the response was requested as a form.
    let expectsForm: Bool
    /// The expected response, once received.
    private(set) var callback: AuthorizationCallback?
    /// What the last page says, once it is known.
    var outcome: LoopbackPage.Outcome?

    init(authority: String, path: String, state: String, expectsForm: Bool = false) {
        self.authority = authority
        self.path = path
        self.state = state
        self.expectsForm = expectsForm
    }

    /// Responds to one request.
    ///
    /// - Returns: The response; `nil` for the last page while its outcome is not known.
    mutating func answer(_ request: LoopbackRequest) -> [UInt8]? {
        guard request.host == authority else { return LoopbackPage.response(status: "400 Bad Request") }
        switch request.method {
        case "GET": return responseURL(request)
        case "POST" where expectsForm: return responseForm(request)
        default: return LoopbackPage.response(status: "405 Method Not Allowed")
        }
    }

    /// Whether a request is for the last page, and has come in time.
    func isForLastPage(_ request: LoopbackRequest) -> Bool {
        request.method == "GET" && request.host == authority && request.path == donePath && callback != nil
    }

    private mutating func responseURL(_ request: LoopbackRequest) -> [UInt8]? {
        if isForLastPage(request) {
            return outcome.map { LoopbackPage.response(status: "200 OK", outcome: $0) }
        }
        guard request.path == path, let query = request.query else { return Self.notFound }
        // Also if a form was requested: the client rejects a wrong response mode at once.
        return take(query, AuthorizationCallback(url: url(request)))
    }

    /// A form comes from a page of another site, as `form_post` intends; `state` distinguishes it from other forms.
    private mutating func responseForm(_ request: LoopbackRequest) -> [UInt8] {
        guard request.path == path else { return Self.notFound }
        guard request.hasForm else { return LoopbackPage.response(status: "415 Unsupported Media Type") }
        guard let form = try? FormParameters(decoding: request.body) else {
            return LoopbackPage.response(status: "400 Bad Request")
        }
        return take(form, AuthorizationCallback(url: url(request), formBody: request.body))
    }

    /// Accepts a response to the waiting sign-in.
    ///
    /// A wrong `state` does not end the wait: any web page can send a browser here.
    private mutating func take(_ parameters: FormParameters, _ answer: AuthorizationCallback) -> [UInt8] {
        let glimpse = UnverifiedCallback(parameters)
        guard callback == nil, let received = glimpse.state, ConstantTime.areEqual(received, state) else {
            return Self.notFound
        }
        callback = answer
        // Removes the code from the address bar and the history.
        return LoopbackPage.response(status: "303 See Other", location: donePath)
    }

    private func url(_ request: LoopbackRequest) -> String { "http://" + authority + request.target }

    private var donePath: String { path == "/done" ? "/finished" : "/done" }

    private static var notFound: [UInt8] { LoopbackPage.response(status: "404 Not Found") }
}
