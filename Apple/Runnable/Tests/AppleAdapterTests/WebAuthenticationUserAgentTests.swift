// SPDX-License-Identifier: Apache-2.0

import AuthenticationServices
import Foundation
import JOSE
import OAuthSystem
import Testing

@testable import OAuthClient

extension AppleAdapters {
    @Suite("The system's browser")
    struct WebAuthenticationUserAgentTests {
        private static let scheme = "com.example.app:/callback"
        private let agent = WebAuthenticationUserAgent { makeWindow() }

        init() {
            FakeBrowser.reset()
        }

        private func authorize(
            _ agent: WebAuthenticationUserAgent? = nil,
            at redirectURI: String = Self.scheme,
            _ mode: ResponseMode = .query
        ) async throws -> String {
            let agent = agent ?? self.agent
            return try await agent.authorize(redirectURI: redirectURI) { redirectURI in
                AuthorizationRequest(
                    url: "https://auth.example/authorize?client_id=a&request_uri=b",
                    redirectURI: redirectURI,
                    state: "state",
                    expiresAt: .init(secondsSince1970: 1_790_000_000),
                    responseMode: mode
                )
            }
            .url
        }

        private func failure(_ body: () async throws -> Void) async -> OAuthClientError? {
            do {
                try await body()
                return nil
            } catch {
                return error as? OAuthClientError
            }
        }

        private func answer(_ text: String) {
            FakeBrowser.setAnswer { FakeBrowser.Answer(url: URL(string: text)) }
        }

        @Test(arguments: [
            ("com.example.app:/callback", "com.example.app:"), ("COM.example.app://callback", "com.example.app:"),
            ("https://app.example.com/callback", "https://app.example.com/callback"),
            ("https://app.example.com:443/callback", "https://app.example.com/callback"),
            ("https://app.example.com", "https://app.example.com/"),
        ])
        func `the callback is the one of the client, of both kinds`(redirectURI: String, callback: String) async throws
        {
            answer(redirectURI + "?code=1&state=2")
            #expect(try await authorize(at: redirectURI) == redirectURI + "?code=1&state=2")
            let url = "https://auth.example/authorize?client_id=a&request_uri=b"
            #expect(FakeBrowser.visits == [.init(url: url, callback: callback, isEphemeral: false)])
        }

        @Test(arguments: [
            "http://127.0.0.1/callback", "https://app.example.com:8443/callback",
            "https://user@app.example.com/callback",
            "file:///callback", "javascript:alert(1)", "https:///callback", "callback",
        ])
        func `what the system cannot catch is refused before anything is asked`(redirectURI: String) async {
            let error = await failure {
                _ = try await agent.authorize(redirectURI: redirectURI) { _ in
                    Issue.record("asked for a request")
                    throw CancellationError()
                }
            }
            #expect(error?.code == .unsupportedRedirectURI)
        }

        @Test(arguments: [ResponseMode.formPost, .formPostJWT])
        func `forms are refused, as apps get only URLs`(mode: ResponseMode) async {
            #expect(await failure { _ = try await authorize(at: Self.scheme, mode) }?.code == .unsupportedResponseMode)
            #expect(FakeBrowser.visits.isEmpty)
        }

        @Test func `a fragment arrives whole`() async throws {
            answer(Self.scheme + "#code=1&state=2")
            #expect(try await authorize(at: Self.scheme, .fragment) == Self.scheme + "#code=1&state=2")
        }

        @Test func `an ephemeral session is the app's choice`() async throws {
            answer(Self.scheme)
            _ = try await authorize(WebAuthenticationUserAgent(prefersEphemeralSession: true) { makeWindow() })
            #expect(FakeBrowser.visits.map(\.isEphemeral) == [true])
        }

        @Test @MainActor func `trap 14: the session is kept while the browser is open`() async throws {
            answer(Self.scheme + "?code=1")
            for _ in 0..<3 { #expect(try await authorize() == Self.scheme + "?code=1") }
        }

        @Test func `trap 14: a refused callback is not the person's doing, and names webcredentials`() async {
            FakeBrowser.setAnswer {
                let details = [NSLocalizedFailureReasonErrorKey: "not associated with domain app.example.com"]
                return FakeBrowser.Answer(error: ASWebAuthenticationSessionError(.canceledLogin, userInfo: details))
            }
            let error = await failure { _ = try await authorize(at: "https://app.example.com/callback") }
            #expect(error?.code == .userAgentFailed)
            #expect(error?.reason.contains("app.example.com") == true)
            #expect(error?.reason.contains("webcredentials") == true)
            #expect(await failure { _ = try await authorize() }?.code == .userAgentFailed)
        }

        @Test func `trap 14: a person who closes the browser cancels`() async {
            FakeBrowser.setAnswer { FakeBrowser.Answer(error: ASWebAuthenticationSessionError(.canceledLogin)) }
            #expect(await failure { _ = try await authorize() }?.code == .cancelled)
        }

        @Test(arguments: [true, false])
        func `a task that is cancelled closes the browser, whether it says so or not`(reports: Bool) async {
            FakeBrowser.setReportsCancellation(reports)
            let ending = Noted<OAuthClientError.Code?>(nil)
            let task = Task {
                let code = await failure { _ = try await authorize() }?.code
                ending.change { $0 = code }
            }
            while FakeBrowser.visits.isEmpty { await Task.yield() }
            task.cancel()
            // Not awaited: a visit that does not end must fail this test, not hang it.
            let end = ContinuousClock.now + .seconds(10)
            while ending.value == nil, ContinuousClock.now < end { try? await Task.sleep(for: .milliseconds(5)) }
            #expect(ending.value == .cancelled)
            #expect(FakeBrowser.cancellations == 1)
        }

        @Test func `a task that was cancelled before opens no browser`() async {
            let task = Task {
                while !Task.isCancelled { await Task.yield() }
                return try await authorize()
            }
            task.cancel()
            #expect(await failure { _ = try await task.value }?.code == .cancelled)
            #expect(FakeBrowser.visits.isEmpty)
        }

        @Test func `an ending that is reported twice ends once`() async throws {
            FakeBrowser.setReportsTwice(true)
            answer(Self.scheme + "?code=1")
            #expect(try await authorize() == Self.scheme + "?code=1")
        }

        @Test func `a browser that does not open is said`() async {
            FakeBrowser.setStartsSessions(false)
            #expect(await failure { _ = try await authorize() }?.code == .browserUnavailable)
            FakeBrowser.setStartsSessions(true)
            let codes: [ASWebAuthenticationSessionError.Code] = [
                .presentationContextNotProvided, .presentationContextInvalid,
            ]
            for code in codes {
                FakeBrowser.setAnswer { FakeBrowser.Answer(error: ASWebAuthenticationSessionError(code)) }
                #expect(await failure { _ = try await authorize() }?.code == .browserUnavailable)
            }
        }

        @Test func `errors that nobody knows are the browser's`() async {
            FakeBrowser.setAnswer { FakeBrowser.Answer(error: ASWebAuthenticationSessionError(.later)) }
            #expect(await failure { _ = try await authorize() }?.code == .userAgentFailed)
            FakeBrowser.setAnswer { FakeBrowser.Answer(error: CocoaError(.featureUnsupported)) }
            #expect(await failure { _ = try await authorize() }?.code == .userAgentFailed)
            FakeBrowser.setAnswer { FakeBrowser.Answer() }
            #expect(await failure { _ = try await authorize() }?.code == .userAgentFailed)
        }

        @Test func `what the request fails with comes through`() async {
            let error = await failure {
                _ = try await agent.authorize(redirectURI: Self.scheme) { _ in
                    throw OAuthClientError(.serverUnavailable, "no")
                }
            }
            #expect(error?.code == .serverUnavailable)
            #expect(FakeBrowser.visits.isEmpty)
        }

        @Test @MainActor func `trap 64: the window is the app's, asked for on the main actor, never looked for`()
            async throws
        {
            let asked = Noted(0)
            let window = makeWindow()
            let visit = WebAuthenticationVisit(prefersEphemeralSession: false) {
                MainActor.preconditionIsolated()
                asked.change { $0 += 1 }
                return window
            }
            let session = ASWebAuthenticationSession(
                url: try #require(URL(string: "https://auth.example")),
                callback: .customScheme("a")
            ) { _, _ in }
            #expect(visit.presentationAnchor(for: session) === window)
            #expect(asked.value == 1)
        }
    }
}
