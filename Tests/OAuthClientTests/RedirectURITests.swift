// SPDX-License-Identifier: Apache-2.0

import OAuthClient
import Testing

@Suite("RFC 8252 section 7: redirect URIs of apps")
struct RedirectURITests {
    @Test func `the three forms, and any other`() throws {
        #expect(RedirectURI.loopback.text == "http://127.0.0.1/callback")
        #expect(try RedirectURI.scheme("com.example.app").text == "com.example.app:/callback")
        #expect(try RedirectURI.scheme("com.example.app", path: "/a").text == "com.example.app:/a")
        #expect(try RedirectURI.https(host: "app.example.com").text == "https://app.example.com/callback")
        let other = "http://[::1]/callback"
        #expect(try RedirectURI(other).description == other)
    }

    @Test(arguments: ["myapp", "com.example app", "", ".", "1com.example", "com.example:", "https://a.example"])
    func `a scheme that may be anyone's, or is none, is rejected`(_ scheme: String) async {
        #expect(await clientError { _ = try RedirectURI.scheme(scheme) }?.code == .invalidArgument)
    }

    @Test(arguments: ["", "a:443", "me@a.example", "a.example/b", "a.example?b", "a.example#b", "a b"])
    func `a host that is more than a host is rejected`(_ host: String) async {
        #expect(await clientError { _ = try RedirectURI.https(host: host) }?.code == .invalidArgument)
    }

    @Test(arguments: ["callback", "", "//evil.example", "/a#b"])
    func `a path begins with one slash, and has no fragment`(_ path: String) async {
        #expect(
            await clientError { _ = try RedirectURI.scheme("com.example.app", path: path) }?.code == .invalidArgument
        )
    }

    @Test(arguments: ["/callback", "https://a.example/#b", "", "a b"])
    func `a text that is no URI is rejected, also as a literal`(_ text: String) async {
        #expect(await clientError { _ = try RedirectURI(text) }?.code == .invalidArgument)
        let error = await clientError {
            _ = try OAuth2Client(
                issuer: FakeServer.issuer,
                clientID: "my-app",
                redirectURI: RedirectURI(stringLiteral: text),
                storage: .memory
            )
        }
        #expect(error?.code == .invalidArgument)
    }

    @Test func `a client and a manager of accounts take one`() async throws {
        let client = try OAuth2Client(
            issuer: FakeServer.issuer,
            clientID: "my-app",
            redirectURI: .loopback,
            storage: .memory
        )
        #expect(client.redirectURI == "http://127.0.0.1/callback")
        let server = FakeServer()
        let manager = try AccountManager(
            issuer: FakeServer.issuer,
            clientID: "my-app",
            redirectURI: RedirectURI.scheme("com.example.app"),
            storage: .memory,
            transport: server
        )
        _ = try await manager.signIn(scopes: ["api:read"], using: ApprovingUser(server: server))
        #expect(try await manager.accounts().count == 1)
    }
}
