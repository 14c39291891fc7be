// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import JOSE
import OAuthClient
import OAuthCore
import OAuthTransport
import StrictJSON
import Synchronization
import TestSupport
import Testing

@Suite("OpenID Connect RP-Initiated Logout: the end of a session at the server")
struct EndSessionTests {
    private static let redirectURI = "com.example.app:/bye"

    /// A browser that records the URLs it opens, and returns as a test says.
    private final class Browser: UserAgent {
        private let visited = Mutex<[String]>([])
        private let comeBack: @Sendable (AuthorizationRequest) async throws -> String

        init(
            _ comeBack: @escaping @Sendable (AuthorizationRequest) async throws -> String = {
                "\($0.redirectURI)?state=\($0.state)"
            }
        ) {
            self.comeBack = comeBack
        }

        var urls: [String] { visited.withLock { $0 } }

        func authorize(
            redirectURI: String,
            _ makeRequest: @Sendable (String) async throws -> AuthorizationRequest
        ) async throws -> AuthorizationCallback {
            let request = try await makeRequest(redirectURI)
            visited.withLock { $0.append(request.url) }
            return AuthorizationCallback(url: try await comeBack(request))
        }
    }

    /// A system browser in which the user is signed out at once, and that keeps the last page.
    private final class Launcher: BrowserLauncher {
        private let page = Mutex("")

        var lastPage: String { page.withLock { $0 } }

        func open(_ url: String) async throws(OAuthClientError) {
            guard let query = try? URI(parsing: url).query, let parameters = try? FormParameters(decoding: query),
                let place = try? parameters.value(for: "post_logout_redirect_uri"),
                let state = try? parameters.value(for: "state")
            else { return }
            for target in ["\(place)?state=\(state)", place.replacing("/bye", with: "/done")] {
                let response = try? await PlatformTransport().send(HTTPRequest(target: target), maximumBodySize: 65_536)
                // The first response only leads to the last page.
                guard let response, response.status != 303 else { continue }
                page.withLock { $0 = String(decoding: response.body, as: UTF8.self) }
            }
        }
    }

    private func query(_ url: String?) throws -> FormParameters {
        let uri = try URI(parsing: #require(url))
        return try FormParameters(decoding: #require(uri.query))
    }

    @Test func `the URL names user, client and where to come back`() async throws {
        let fixture = try await OpenIDFixture()
        let session = try await fixture.session()
        let idToken = try #require(try await session.tokenManager.fetch().idToken)
        let url = try await session.endSessionURL(postLogoutRedirectURI: Self.redirectURI, state: "a b")
        #expect(url.hasPrefix(fixture.provider.base + "/end?tenant=7&"))
        let parameters = try query(url)
        #expect(try parameters.value(for: "id_token_hint") == idToken.rawValue)
        #expect(try parameters.value(for: "client_id") == "my-app")
        #expect(try parameters.value(for: "post_logout_redirect_uri") == Self.redirectURI)
        #expect(try parameters.value(for: "state") == "a b")
        let short = try query(await session.endSessionURL())
        #expect(short.all.map(\.name) == ["tenant", "id_token_hint", "client_id"])
        let error = await clientError { _ = try await session.endSessionURL(postLogoutRedirectURI: "/bye") }
        #expect(error?.code == .invalidArgument)
    }

    @Test func `a sign-out says which page ends the session at the server, without another request`() async throws {
        let fixture = try await OpenIDFixture()
        let session = try await fixture.session()
        let idToken = try #require(try await session.tokenManager.fetch().idToken)
        let result = await session.signOut()
        let parameters = try query(#require(result.endSessionURL).reveal())
        #expect(try parameters.value(for: "id_token_hint") == idToken.rawValue)
        #expect(parameters.all.map(\.name) == ["tenant", "id_token_hint", "client_id"])
        var text = "\(result) \(String(reflecting: result))"
        dump(result, to: &text)
        #expect(!text.contains(idToken.rawValue))
        #expect(await session.signOut().endSessionURL?.reveal() == result.endSessionURL?.reveal())
        // Without openid nobody has a session at that page.
        let other = try SignInFixture()
        #expect(await (try other.session()).signOut().endSessionURL == nil)
    }

    @Test func `trap 56: revoked and deleted here first, then the browser ends the session there`() async throws {
        let fixture = try await OpenIDFixture()
        let session = try await fixture.session()
        let browser = Browser { request in
            #expect(await fixture.provider.count(at: "/revoke") == 1)
            #expect(await fixture.tokenStore.tokens(of: fixture.client.account) == nil)
            return "\(request.redirectURI)?state=\(request.state)"
        }
        try await session.signOut(using: browser, postLogoutRedirectURI: Self.redirectURI)
        #expect(await fixture.provider.count(at: "/revoke") == 1)
        #expect(try await fixture.client.restoreSession() == nil)
        let parameters = try query(browser.urls.first)
        #expect(try parameters.value(for: "id_token_hint") != nil)
        #expect(try parameters.value(for: "state")?.utf8.count == 43)
        #expect(await clientError { _ = try await session.endSessionURL() }?.code == .sessionEnded)
    }

    @Test(.timeLimit(.minutes(1))) func `the last page of the system browser says that the user is signed out`()
        async throws
    {
        let fixture = try await OpenIDFixture()
        let session = try await fixture.session()
        let launcher = Launcher()
        try await session.signOut(
            using: SystemBrowser(launcher: launcher),
            postLogoutRedirectURI: "http://127.0.0.1/bye"
        )
        // The sign-out ends when the page was sent, and the browser may take a moment to read it.
        for _ in 0..<3_000 where launcher.lastPage.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
        #expect(launcher.lastPage.contains("<h1>Signed out</h1>"))
    }

    @Test func `trap 56: what the browser does comes after the tokens are gone`() async throws {
        let fixture = try await OpenIDFixture()
        let session = try await fixture.session()
        let failing = Browser { _ in throw OAuthClientError(.timedOut, "nobody came back") }
        let error = await clientError {
            try await session.signOut(using: failing, postLogoutRedirectURI: Self.redirectURI)
        }
        #expect(error?.code == .timedOut)
        #expect(await fixture.provider.count(at: "/revoke") == 1)
        #expect(try await fixture.client.restoreSession() == nil)
    }

    @Test func `a revocation that fails is told, and the browser is taken there all the same`() async throws {
        let fixture = try await OpenIDFixture()
        let session = try await fixture.session()
        await fixture.provider.change {
            $0.instead["/revoke"] = [HTTPResponse(status: 503), HTTPResponse(status: 503)]
        }
        let browser = Browser()
        let error = await clientError {
            try await session.signOut(using: browser, postLogoutRedirectURI: Self.redirectURI)
        }
        #expect(error?.code == .serverUnavailable)
        #expect(browser.urls.count == 1)
        #expect(try await fixture.client.restoreSession() == nil)
    }

    @Test func `a server that is gone does not keep anybody signed in here`() async throws {
        let fixture = try await OpenIDFixture()
        let session = try await fixture.session()
        await fixture.provider.stop()
        fixture.clock.advance(by: .seconds(7200))
        let browser = Browser()
        let error = await clientError {
            try await session.signOut(using: browser, postLogoutRedirectURI: Self.redirectURI)
        }
        #expect(error?.code == .transportFailed)
        // The document that is known serves for a day.
        #expect(browser.urls.count == 1)
        #expect(try await fixture.client.restoreSession() == nil)
    }

    @Test func `a server without such a page is told of, and the user signed out here`() async throws {
        let fixture = try await OpenIDFixture()
        await fixture.provider.change { $0.metadata = ["end_session_endpoint": .null] }
        let session = try await fixture.session()
        let error = await clientError {
            try await session.signOut(using: Browser(), postLogoutRedirectURI: Self.redirectURI)
        }
        #expect(error?.code == .unsupportedByServer)
        #expect(try await fixture.client.restoreSession() == nil)
    }

    @Test(arguments: [
        ("com.example.app:/bye?state=wrong", OAuthClientError.Code.unknownState),
        ("com.example.app:/bye", .unknownState), ("com.example.app:/bye?state=a&state=a", .unknownState),
        ("com.evil.app:/bye?state=STATE", .unrelatedCallback),
        ("com.example.app:/other?state=STATE", .unrelatedCallback),
    ])
    func `the answer must come back to the same place with the same state`(
        _ answer: String,
        _ code: OAuthClientError.Code
    ) async throws {
        let fixture = try await OpenIDFixture()
        let session = try await fixture.session()
        let browser = Browser { answer.replacing("STATE", with: $0.state) }
        let error = await clientError {
            try await session.signOut(using: browser, postLogoutRedirectURI: Self.redirectURI)
        }
        #expect(error?.code == code)
    }
}
#endif
