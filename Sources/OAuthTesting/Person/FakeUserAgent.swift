// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
public import OAuthClient
public import OAuthCore
import Synchronization

/// A user with a browser, who reads the pages of the server, signs in, consents, and returns to the app.
///
/// The browser keeps its cookies, so at the second sign-in the user is signed in and only has to consent.
public final class FakeUserAgent: UserAgent, CustomReflectable {
    /// How the user responds to the pages.
    public struct Behavior: Sendable, Hashable {
        private let name: String

        private init(_ name: String) {
            self.name = name
        }

        /// Signs in and chooses "Allow".
        public static let consents = Self("consents")
        /// Signs in and chooses "Deny": the app gets `access_denied`.
        public static let refuses = Self("refuses")
        /// Closes the window at the first page: the app gets ``/OAuthClient/OAuthClientError/Code/cancelled``.
        public static let cancels = Self("cancels")
    }

    private struct State {
        var behavior = Behavior.consents
        var cookies: [String: String] = [:]
        var pages: [String] = []
    }

    /// The login name that the user types.
    public let username: String
    private let password: String
    private let transport: any HTTPTransport
    private let state = Mutex(State())

    /// Makes a user with a browser.
    ///
    /// - Parameters:
    ///   - username: The login name that the user types.
    ///   - password: The password that the user types.
    ///   - transport: The browser's connection to the server: a ``FakeAuthorizationServer``, or a
    ///     ``RecordingTransport`` around it.
    public init(username: String, password: String, transport: any HTTPTransport) {
        self.username = username
        self.password = password
        self.transport = transport
    }

    /// How the user responds to the pages of the next sign-ins.
    public var behavior: Behavior {
        get { state.withLock { $0.behavior } }
        set { state.withLock { $0.behavior = newValue } }
    }

    /// The output of `dump`: the name, but neither password nor cookies.
    public var customMirror: Mirror { Mirror(self, children: ["username": username]) }

    /// The headings of all displayed pages, in order.
    public var pages: [String] { state.withLock { $0.pages } }

    /// Signs the user out of this browser: the next sign-in requires the password again.
    public func forgetCookies() {
        state.withLock { $0.cookies = [:] }
    }

    /// Goes through the pages as the user would.
    ///
    /// - Parameters:
    ///   - redirectURI: The redirect URI of the client; a loopback address keeps the port it has.
    ///   - makeRequest: Makes the authorization request.
    /// - Returns: The URL to which the server redirected the user.
    /// - Throws: ``OAuthTestingError/Code/unexpectedPage``, ``/OAuthClient/OAuthClientError/Code/cancelled`` if the
    ///   user closes the window, ``/OAuthClient/OAuthClientError/Code/unsupportedResponseMode`` for a response in a
    ///   form, and what `makeRequest` and the transport throw.
    public func authorize(
        redirectURI: String,
        _ makeRequest: @Sendable (_ redirectURI: String) async throws -> AuthorizationRequest
    ) async throws -> AuthorizationCallback {
        let request = try await makeRequest(redirectURI)
        guard ![.formPost, .formPostJWT].contains(request.responseMode) else {
            throw OAuthClientError(.unsupportedResponseMode, "this person's browser brings back URLs, and no forms")
        }
        var visit = Visit(url: request.url)
        var hasTyped = false
        for _ in 0..<Self.maximumVisits {
            let response = try await load(visit)
            if (300..<400).contains(response.status), let location = response.fields["Location"] {
                visit = Visit(url: Self.resolve(location, from: visit.url))
                if Self.isCallback(visit.url, of: request.redirectURI) { return AuthorizationCallback(url: visit.url) }
                continue
            }
            let page = try open(response)
            guard !(page.asksForPassword && hasTyped) else {
                throw Self.unexpected("asks for the password again", page)
            }
            hasTyped = hasTyped || page.asksForPassword
            visit = Visit(url: Self.resolve(page.action, from: visit.url), form: filled(page))
        }
        throw OAuthTestingError(.unexpectedPage, "the pages of the server have no end")
    }

    private static let maximumVisits = 10

    private struct Visit {
        var url: String
        var form: FormParameters?
    }

    private func load(_ visit: Visit) async throws -> HTTPResponse {
        var request = HTTPRequest(target: visit.url, fields: ["Accept": "text/html"])
        let cookies = state.withLock { $0.cookies }.map { "\($0.key)=\($0.value)" }.sorted()
        if !cookies.isEmpty { request.fields["Cookie"] = cookies.joined(separator: "; ") }
        if let form = visit.form {
            request.method = "POST"
            request.fields["Content-Type"] = FormParameters.mediaType
            request.fields["Origin"] = (try? URI(parsing: visit.url))?.origin
            request.body = Array(form.encoded().utf8)
        }
        let response = try await transport.send(request, maximumBodySize: 262_144)
        for field in response.fields.values(for: "Set-Cookie") { keep(field) }
        return response
    }

    private func keep(_ field: String) {
        let pair = field.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
        guard pair.count == 2 else { return }
        state.withLock { $0.cookies[String(pair[0])] = String(pair[1]) }
    }

    private func open(_ response: HTTPResponse) throws -> SignInPage {
        let page = SignInPage(response)
        state.withLock { $0.pages.append(page.heading) }
        guard behavior != .cancels else { throw OAuthClientError(.cancelled, "the person closed the window") }
        guard response.status == 200, page.asksForPassword || page.asksForDecision else {
            throw Self.unexpected("came with status \(response.status)", page)
        }
        return page
    }

    private func filled(_ page: SignInPage) -> FormParameters {
        var form = page.hidden
        if page.asksForPassword {
            form.append("username", username)
            form.append("password", password)
        } else {
            form.append("decision", behavior == .refuses ? "deny" : "allow")
        }
        return form
    }

    private static func unexpected(_ what: String, _ page: SignInPage) -> OAuthTestingError {
        OAuthTestingError(.unexpectedPage, "the page \"\(page.heading)\" \(what)")
    }

    private static func resolve(_ location: String, from url: String) -> String {
        guard location.hasPrefix("/"), let origin = (try? URI(parsing: url))?.origin else { return location }
        return origin + location
    }

    /// Whether a URL is the redirect URI with a response in its query or its fragment.
    private static func isCallback(_ url: String, of redirectURI: String) -> Bool {
        guard url.utf8.starts(with: redirectURI.utf8) else { return false }
        let next = url.utf8.dropFirst(redirectURI.utf8.count).first
        return [UInt8(ascii: "?"), UInt8(ascii: "&"), UInt8(ascii: "#")].contains(next)
    }
}
