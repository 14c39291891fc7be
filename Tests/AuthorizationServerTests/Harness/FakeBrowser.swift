// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import JOSE
import OAuthSystem
import ServerStorage
import StrictJSON
import Synchronization
import TestSupport
import Testing

/// A browser without scripts: it keeps cookies, parses the forms of pages, and follows redirects to the server on
/// request.
final class FakeBrowser: Sendable {
    /// The one form of a page.
    struct Form {
        let action: String
        /// The hidden inputs.
        let hidden: FormParameters
    }

    let server: ServerUnderTest
    private let jar = Mutex<[String: String]>([:])

    init(_ server: ServerUnderTest) {
        self.server = server
    }

    var cookies: [String: String] {
        get { jar.withLock { $0 } }
        set { jar.withLock { $0 = newValue } }
    }

    func get(_ target: String) async -> HTTPResponse {
        await send(HTTPRequest(target: target))
    }

    /// Sends a request with the cookies, and keeps those of the response.
    func send(_ request: HTTPRequest) async -> HTTPResponse {
        var request = request
        let cookies = self.cookies.map { "\($0.key)=\($0.value)" }.sorted()
        if !cookies.isEmpty { request.fields["Cookie"] = cookies.joined(separator: "; ") }
        let response = await server.send(request)
        for field in response.fields.values(for: "Set-Cookie") { keep(field) }
        return response
    }

    private func keep(_ field: String) {
        guard let pair = field.split(separator: ";").first, let equals = pair.firstIndex(of: "=") else { return }
        jar.withLock { $0[String(pair[..<equals])] = String(pair[pair.index(after: equals)...]) }
    }

    /// Follows one redirect.
    func follow(_ response: HTTPResponse) async throws -> HTTPResponse {
        #expect(response.status == 303)
        let location = try #require(response.fields["Location"], "status \(response.status): \(response.text)")
        try #require(location.hasPrefix("/"), "the redirect leaves the server")
        return await get(location)
    }

    /// Fills in the form of a page and posts it, as browsers do: with the origin of the page.
    func submit(
        _ page: HTTPResponse,
        _ values: FormParameters,
        origin: String? = ServerUnderTest.issuer
    ) async throws -> HTTPResponse {
        let form = try Self.form(of: page)
        var parameters = form.hidden
        for value in values.all { parameters.append(value.name, value.value) }
        return await send(.form(form.action, parameters, fields: origin.map { ["Origin": $0] } ?? [:]))
    }

    static func form(of page: HTTPResponse) throws -> Form {
        let reader = try PageReader(page.text)
        let form = try #require(reader.all("form").first, "\(page.text)")
        #expect(form.attributes["method"] == "post")
        var hidden = FormParameters()
        for input in reader.inputsOfFirstForm where input.attributes["type"] == "hidden" {
            hidden.append(try #require(input.attributes["name"]), input.attributes["value"] ?? "")
        }
        return Form(action: try #require(form.attributes["action"]), hidden: hidden)
    }

    /// Enters a name and a password on a login page.
    func logIn(
        on page: HTTPResponse,
        as username: String = "ada",
        password: String = ServerUnderTest.password
    ) async throws -> HTTPResponse {
        try await submit(page, ["username": username, "password": password])
    }

    /// Presses a button of a consent page.
    func decide(_ decision: String, on page: HTTPResponse) async throws -> HTTPResponse {
        try await submit(page, ["decision": decision])
    }
}

extension ServerUnderTest {
    static let cookieName = "__Host-keybound"

    /// A browser with a session.
    ///
    /// The session is put into the storage, since a login takes the time of hashing a password. Tests of the login
    /// itself log in.
    func signedInBrowser(as username: String = "ada") async throws -> FakeBrowser {
        let browser = FakeBrowser(self)
        let cookie = DatedHandle.make(at: clock.now(), entropy)
        let user = try #require(try await storage.user(named: username))
        let session = BrowserSession(
            idHash: SecretHash(of: cookie),
            subject: user.subject,
            authenticatedAt: clock.now(),
            authentication: AuthenticationContext(
                reference: "urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport",
                methods: ["pwd"]
            ),
            expiresAt: clock.now() + .seconds(8 * 3600)
        )
        #expect(try await storage.start(session, replacing: nil, judgedBy: nil))
        browser.cookies = [Self.cookieName: cookie]
        return browser
    }
}
