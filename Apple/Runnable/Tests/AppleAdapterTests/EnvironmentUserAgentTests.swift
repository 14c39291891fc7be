// SPDX-License-Identifier: Apache-2.0

import AuthenticationServices
import Foundation
import OAuthSystem
import Testing

@testable import OAuthClient

extension AppleAdapters {
    @Suite("The browser that SwiftUI gives a view")
    struct EnvironmentUserAgentTests {
        private static let redirectURI = "com.example.app:/callback"
        private static let page = "https://auth.example/authorize?client_id=a&request_uri=b"

        private func authorize(
            _ mode: ResponseMode = .query,
            _ browse: @escaping EnvironmentUserAgent.Browse
        ) async throws -> AuthorizationCallback {
            try await EnvironmentUserAgent(browse).authorize(redirectURI: Self.redirectURI) { redirectURI in
                AuthorizationRequest(
                    url: Self.page,
                    redirectURI: redirectURI,
                    state: "state",
                    expiresAt: .init(secondsSince1970: 1_790_000_000),
                    responseMode: mode
                )
            }
        }

        private func code(_ body: () async throws -> Void) async -> OAuthClientError.Code? {
            do {
                try await body()
                return nil
            } catch {
                return (error as? OAuthClientError)?.code
            }
        }

        @Test func `the view's browser is shown the page, and its answer is the callback`() async throws {
            let callback = try await authorize { url, _ in
                #expect(url.absoluteString == Self.page)
                return try #require(URL(string: Self.redirectURI + "?code=1&state=2"))
            }
            #expect(callback.url == Self.redirectURI + "?code=1&state=2")
        }

        @Test func `a person who closes the browser cancels, and other errors are the browser's`() async {
            let closed = await code {
                _ = try await authorize { _, _ in throw ASWebAuthenticationSessionError(.canceledLogin) }
            }
            #expect(closed == .cancelled)
            let broken = await code { _ = try await authorize { _, _ in throw URLError(.badURL) } }
            #expect(broken == .userAgentFailed)
        }

        @Test func `forms are refused, as apps get only URLs`() async {
            let refused = await code {
                _ = try await authorize(.formPost) { _, _ in
                    Issue.record("the browser was shown")
                    throw CancellationError()
                }
            }
            #expect(refused == .unsupportedResponseMode)
        }
    }
}
