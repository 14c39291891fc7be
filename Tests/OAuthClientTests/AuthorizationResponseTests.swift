// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthClient
import OAuthCore
import StrictJSON
import TestSupport
import Testing

@Suite("RFC 6749 section 4.1.2, RFC 9207: the answer that comes through the browser")
struct AuthorizationResponseTests {
    private let redirectURI = "com.example.app:/callback"

    /// A waiting sign-in and a valid response to it.
    private func waiting(
        redirectURI: String = "com.example.app:/callback"
    ) async throws -> (fixture: SignInFixture, state: String, callback: String) {
        let fixture = try SignInFixture(redirectURI: redirectURI)
        let request = try await fixture.client.initiateAuthorization(scopes: ["api:read"])
        return (fixture, request.state, try await fixture.server.approve(request))
    }

    private func callback(_ parameters: FormParameters) throws -> String {
        try URI(parsing: redirectURI).appendingQuery(parameters).description
    }

    @Test func `trap 16: a plus sign is a space, and percent-encodings are decoded`() async throws {
        let (fixture, _, callback) = try await waiting()
        let response = try await fixture.client.parseAuthorizationResponse(callback)
        #expect(response.code.value.hasPrefix("code "))
        #expect(response.code.value.hasSuffix("+&/="))
    }

    @Test func `trap 5: state is taken once`() async throws {
        let (fixture, _, callback) = try await waiting()
        _ = try await fixture.client.parseAuthorizationResponse(callback)
        let error = await clientError { _ = try await fixture.client.parseAuthorizationResponse(callback) }
        #expect(error?.code == .unknownState)
    }

    @Test func `trap 5: an error with a wrong state is not believed and ends nothing`() async throws {
        let (fixture, _, callback) = try await waiting()
        let forged = try self.callback(["error": "access_denied", "state": "guess", "iss": FakeServer.issuer])
        let error = await clientError { _ = try await fixture.client.parseAuthorizationResponse(forged) }
        #expect(error?.code == .unknownState)
        _ = try await fixture.client.parseAuthorizationResponse(callback)
    }

    @Test func `trap 5: an answer without state is rejected and ends nothing`() async throws {
        let (fixture, _, callback) = try await waiting()
        let error = await clientError {
            _ = try await fixture.client.parseAuthorizationResponse(redirectURI + "?code=x")
        }
        #expect(error?.code == .malformedCallback)
        _ = try await fixture.client.parseAuthorizationResponse(callback)
    }

    @Test func `an answer that comes too late is rejected`() async throws {
        let (fixture, _, callback) = try await waiting()
        fixture.clock.advance(by: .seconds(600))
        let error = await clientError { _ = try await fixture.client.parseAuthorizationResponse(callback) }
        #expect(error?.code == .unknownState)
    }

    @Test(arguments: ["https://evil.example", "https://auth.example/", "https%3A%2F%2Fauth.example"])
    func `trap 6: another issuer is rejected, by simple string comparison`(_ issuer: String) async throws {
        let (fixture, state, _) = try await waiting()
        let answer = try callback(["code": "x", "state": state, "iss": issuer])
        let error = await clientError { _ = try await fixture.client.parseAuthorizationResponse(answer) }
        #expect(error?.code == .callbackOfAnotherIssuer)
    }

    @Test func `trap 6: iss may not be missing when the metadata promises it`() async throws {
        let (fixture, state, _) = try await waiting()
        let answer = try callback(["code": "x", "state": state])
        let error = await clientError { _ = try await fixture.client.parseAuthorizationResponse(answer) }
        #expect(error?.code == .callbackOfAnotherIssuer)
    }

    @Test func `trap 6: iss may be missing when the metadata does not promise it`() async throws {
        let fixture = try SignInFixture()
        await fixture.server.change { $0.metadata = ["authorization_response_iss_parameter_supported": .null] }
        let request = try await fixture.client.initiateAuthorization(scopes: [])
        let callback = try await fixture.server.approve(request, issuer: nil)
        _ = try await fixture.client.parseAuthorizationResponse(callback)
    }

    @Test func `trap 6: an error of another issuer is not believed either`() async throws {
        let (fixture, state, _) = try await waiting()
        let answer = try callback(["error": "access_denied", "state": state, "iss": "https://evil.example"])
        let error = await clientError { _ = try await fixture.client.parseAuthorizationResponse(answer) }
        #expect(error?.code == .callbackOfAnotherIssuer)
    }

    @Test func `an error of the right issuer is reported with its description`() async throws {
        let (fixture, state, _) = try await waiting()
        let answer = try callback([
            "error": "access_denied", "error_description": "not today", "state": state, "iss": FakeServer.issuer,
        ])
        let error = await clientError { _ = try await fixture.client.parseAuthorizationResponse(answer) }
        #expect(error?.code == .authorizationRejected)
        #expect(error?.answer == OAuthErrorResponse(.accessDenied, errorDescription: "not today"))
    }

    @Test(arguments: ["code", "iss", "foo"])
    func `trap 7: a repeated parameter is rejected, a known one or not`(_ name: String) async throws {
        let (fixture, _, callback) = try await waiting()
        let error = await clientError {
            _ = try await fixture.client.parseAuthorizationResponse(callback + "&\(name)=a&\(name)=b")
        }
        #expect(error?.code == .malformedCallback)
    }

    @Test func `trap 7: a repeated state is rejected`() async throws {
        let (fixture, state, callback) = try await waiting()
        let error = await clientError {
            _ = try await fixture.client.parseAuthorizationResponse(callback + "&state=\(state)")
        }
        #expect(error?.code == .malformedCallback)
    }

    @Test func `trap 7: an unknown parameter is ignored, an empty code is none`() async throws {
        let (fixture, _, callback) = try await waiting()
        _ = try await fixture.client.parseAuthorizationResponse(callback + "&session_state=x&foo=")
        let (second, state, _) = try await waiting()
        let empty = try self.callback(["code": "", "state": state, "iss": FakeServer.issuer])
        let error = await clientError { _ = try await second.client.parseAuthorizationResponse(empty) }
        #expect(error?.code == .malformedCallback)
    }

    @Test func `trap 12: plain parameters beside a response parameter do not count`() async throws {
        let (fixture, _, callback) = try await waiting()
        let error = await clientError {
            _ = try await fixture.client.parseAuthorizationResponse(callback + "&response=eyJ")
        }
        #expect(error?.code == .malformedCallback)
    }

    @Test(arguments: [
        "com.example.app:/other", "com.example.app:/callback/", "https://app.example/callback",
        "com.example.app:/Callback",
        "not a url", "com.example.app://callback",
    ])
    func `trap 8: an unrelated URL does not end the sign-in`(_ unrelated: String) async throws {
        let (fixture, state, callback) = try await waiting()
        let error = await clientError {
            _ = try await fixture.client.parseAuthorizationResponse(unrelated + "?code=x&state=\(state)")
        }
        #expect(error?.code == .unrelatedCallback)
        _ = try await fixture.client.parseAuthorizationResponse(callback)
    }

    @Test func `trap 8: the scheme is compared without case`() async throws {
        let (fixture, _, callback) = try await waiting()
        let upper = callback.replacing("com.example.app", with: "COM.Example.app")
        _ = try await fixture.client.parseAuthorizationResponse(upper)
    }

    @Test func `trap 8: on the loopback address the port must be that of the request`() async throws {
        let (fixture, state, _) = try await waiting(redirectURI: "http://127.0.0.1/callback")
        let answer = "http://127.0.0.1:81/callback?code=x&state=\(state)&iss=https%3A%2F%2Fauth.example"
        let error = await clientError { _ = try await fixture.client.parseAuthorizationResponse(answer) }
        #expect(error?.code == .malformedCallback)
    }

    @Test func `an answer to another client with the same store is rejected`() async throws {
        let store = MemoryTransactionStore()
        let server = FakeServer()
        let clients = try ["default", "second"].map { account in
            var configuration = OAuth2ClientConfiguration()
            configuration.account = account
            return try OAuth2Client(
                issuer: FakeServer.issuer,
                clientID: "my-app",
                redirectURI: redirectURI,
                configuration: configuration,
                transactionStore: store,
                transport: server
            )
        }
        let callback = try await server.approve(clients[0].initiateAuthorization(scopes: []))
        let error = await clientError { _ = try await clients[1].parseAuthorizationResponse(callback) }
        #expect(error?.code == .callbackOfAnotherIssuer)
    }

    @Test func `of many who bring the same answer one gets the code`() async throws {
        let (fixture, _, callback) = try await waiting()
        let winners = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<32 {
                group.addTask { (try? await fixture.client.parseAuthorizationResponse(callback)) == nil ? 0 : 1 }
            }
            return await group.reduce(0, +)
        }
        #expect(winners == 1)
    }

    @Test func `the memory store drops the oldest when there are too many`() async throws {
        let fixture = try SignInFixture()
        let store = MemoryTransactionStore(capacity: 2)
        let client = try OAuth2Client(
            issuer: FakeServer.issuer,
            clientID: "my-app",
            redirectURI: redirectURI,
            transactionStore: store,
            transport: fixture.server,
            clock: fixture.clock
        )
        var states: [String] = []
        for _ in 0..<3 {
            states.append(try await client.initiateAuthorization(scopes: []).state)
            fixture.clock.advance(by: .seconds(1))
        }
        #expect(await store.take(state: states[0], now: fixture.clock.now()) == nil)
        #expect(await store.take(state: states[1], now: fixture.clock.now()) != nil)
        #expect(await store.take(state: states[2], now: fixture.clock.now()) != nil)
    }
}
