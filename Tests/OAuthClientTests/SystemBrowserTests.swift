// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPMessage
import OAuthCore
import OAuthTransport
import Synchronization
import TestSupport
import Testing

@testable import OAuthClient

@Suite("The system browser with the loopback receiver")
struct SystemBrowserTests {
    /// A browser in which the user refuses, and that ends with the last page, as a browser in a terminal does.
    private final class Browser: BrowserLauncher {
        let server: FakeServer
        let lastPage = Mutex("")

        init(server: FakeServer) {
            self.server = server
        }

        func open(_ url: String) async throws(OAuthClientError) {
            let parameters = try? await server.authorizationParameters(url)
            let transport = PlatformTransport()
            guard let parameters, let redirectURI = try? parameters.value(for: "redirect_uri"),
                let state = try? parameters.value(for: "state"), let uri = try? URI(parsing: redirectURI)
            else { return }
            let answer: FormParameters = ["error": "access_denied", "state": state, "iss": FakeServer.issuer]
            for target in [uri.appendingQuery(answer).description, redirectURI.replacing("/callback", with: "/done")] {
                let page = try? await transport.send(HTTPRequest(target: target), maximumBodySize: 65_536)
                // The first response only leads to the last page.
                guard page?.status != 303 else { continue }
                lastPage.withLock { $0 = String(decoding: page?.body ?? [], as: UTF8.self) }
            }
        }
    }

    private struct NoBrowser: BrowserLauncher {
        func open(_ url: String) async throws(OAuthClientError) {
            throw OAuthClientError(.browserUnavailable, "no browser here")
        }
    }

    #if os(Linux)
    @Test func `without a browser the URL goes to a terminal, and to nothing else`() throws {
        // What is written to this end is typed at the other one, and comes back as its echo.
        let terminal = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY)
        defer { close(terminal) }
        let write = try #require(TerminalURL.writer(to: terminal))
        write("https://auth.example/authorize?client_id=a")
        var waiting = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
        let hasEcho = unsafe poll(&waiting, 1, 60_000) == 1
        try #require(hasEcho)
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = unsafe read(terminal, &bytes, bytes.count)
        let text = String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
        #expect(text.contains("  https://auth.example/authorize?client_id=a\r\n"))
        let file = unsafe open("/dev/null", O_WRONLY)
        defer { close(file) }
        #expect(TerminalURL.writer(to: file) == nil)
    }
    #endif

    @Test func `receives the answer on the port that the request names`() async throws {
        let fixture = try SignInFixture(redirectURI: "http://127.0.0.1/callback")
        let browser = Browser(server: fixture.server)
        let agent = SystemBrowser(timeout: .seconds(300), showURL: nil, launcher: browser)
        let error = await clientError { _ = try await fixture.client.signIn(scopes: [], using: agent) }
        #expect(error?.code == .authorizationRejected)
        // The sign-in ends when the page was sent, and the browser may take a moment to read it.
        for _ in 0..<3_000 where !browser.lastPage.withLock({ $0.contains("<h1>") }) {
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(browser.lastPage.withLock { $0.contains("<h1>Not signed in</h1>") })
    }

    @Test func `without a browser it is an error at once`() async throws {
        let fixture = try SignInFixture(redirectURI: "http://127.0.0.1/callback")
        let agent = SystemBrowser(timeout: .seconds(300), showURL: nil, launcher: NoBrowser())
        let error = await clientError { _ = try await fixture.client.signIn(scopes: [], using: agent) }
        #expect(error?.code == .browserUnavailable)
    }

    @Test func `an app that gets the URL with the error can let the user finish the sign-in elsewhere`() async throws {
        let fixture = try SignInFixture(redirectURI: "http://127.0.0.1/callback")
        let agent = SystemBrowser(timeout: .seconds(300), showURL: nil, launcher: NoBrowser())
        let error = await clientError { _ = try await fixture.client.signIn(scopes: ["api:read"], using: agent) }
        let url = try #require(error?.authorizationURL)
        #expect(url.reveal().hasPrefix("https://auth.example/authorize?"))
        #expect(error?.reason.contains("startDeviceAuthorization") == true)
        var text = ""
        dump(error, to: &text)
        dump(url, to: &text)
        text += "\(String(reflecting: error)) \(url)"
        #expect(!text.contains("auth.example/authorize"))
        // The user pastes the address at which the browser ended.
        let pasted = try await fixture.server.approve(url: url.reveal())
        let session = try await fixture.client.resumeSignIn(pasted)
        #expect(try await fixture.get(session).status == 200)
        #expect(await clientError { try await url.open(in: NoBrowser()) }?.code == .browserUnavailable)
    }

    @Test func `without a browser the URL is shown to whoever asked for it, and the wait goes on`() async throws {
        let fixture = try SignInFixture(redirectURI: "http://127.0.0.1/callback")
        let shown = Mutex("")
        let agent = SystemBrowser(
            timeout: .milliseconds(100),
            showURL: { url in shown.withLock { $0 = url } },
            launcher: NoBrowser()
        )
        let error = await clientError { _ = try await fixture.client.signIn(scopes: [], using: agent) }
        #expect(error?.code == .timedOut)
        #expect(shown.withLock { $0 }.hasPrefix("https://auth.example/authorize?"))
    }

    @Test func `a private-use scheme cannot be received`() async throws {
        let fixture = try SignInFixture()
        let agent = SystemBrowser(timeout: .seconds(300), showURL: nil, launcher: NoBrowser())
        let error = await clientError { _ = try await fixture.client.signIn(scopes: [], using: agent) }
        #expect(error?.code == .unsupportedRedirectURI)
    }

    @Test func `the command is not run without a display`() async {
        let error = await clientError { try await SystemBrowserLauncher(environment: [:]).open("https://auth.example") }
        #if os(Linux)
        #expect(error?.code == .browserUnavailable)
        #else
        #expect(error == nil)
        #endif
    }

    #if os(Linux)
    @Test func `a command that fails is reported`() async {
        let launcher = SystemBrowserLauncher(environment: ["BROWSER": "/bin/false"])
        let error = await clientError { try await launcher.open("gopher-no-such-scheme://x") }
        #expect(error?.code == .browserUnavailable)
    }

    @Test func `the commands of BROWSER are tried in turn`() async {
        let launcher = SystemBrowserLauncher(environment: ["BROWSER": "/bin/false:no-such-command:/bin/true"])
        #expect(await clientError { try await launcher.open("https://auth.example") } == nil)
    }

    @Test func `the URL takes the place of percent s in BROWSER`() async {
        // `test` fails with one argument too many: the URL must not be appended as well.
        let launcher = SystemBrowserLauncher(environment: ["BROWSER": "test %s != something-else"])
        #expect(await clientError { try await launcher.open("https://auth.example") } == nil)
    }
    #endif
}
