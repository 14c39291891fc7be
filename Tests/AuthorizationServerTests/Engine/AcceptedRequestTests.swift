// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import ServerStage
import Testing

@Suite("Authorization requests that must be accepted", .overSocketsOnEveryStore)
struct AcceptedRequestTests {
    private func signIn(_ change: (inout FakeClient.Attempt) -> Void) async throws -> HTTPResponse {
        let server = try await ServerUnderTest.inMemory()
        let client = try FakeClient(server)
        var attempt = client.attempt()
        change(&attempt)
        return try await client.redeem(try await client.code(for: attempt), attempt)
    }

    @Test(arguments: [0, 1, 64, 1024])
    func `accepted: a nonce of 64 characters, and of other lengths`(count: Int) async throws {
        let nonce = String(repeating: "n", count: count)
        let response = try await signIn { $0.parameters = $0.parameters.adding("nonce", nonce) }
        #expect(response.status == 200, "\(response.text)")
    }

    @Test(arguments: ["api:read api:write", "api:write api:read"])
    func `accepted: the scopes in another order`(scope: String) async throws {
        let response = try await signIn { $0.parameters = $0.parameters.with("scope", scope) }
        #expect(response.status == 200, "\(response.text)")
        let granted = try response.string("scope").split(separator: " ").sorted()
        #expect(granted == ["api:read", "api:write"])
    }

    @Test func `a request without state is accepted, and none comes back`() async throws {
        let server = try await ServerUnderTest.inMemory()
        let client = try FakeClient(server)
        var attempt = client.attempt()
        attempt.parameters = attempt.parameters.with("state", nil)
        let callback = try await client.authorize(attempt, in: try await server.signedInBrowser())
        #expect(callback.all.map(\.name) == ["code", "iss"])
    }

    @Test func `accepted: a pushed request visited twice before the login, and again after it`() async throws {
        let server = try await ServerUnderTest.inMemory()
        let client = try FakeClient(server)
        let attempt = client.attempt()
        let target = try await client.pushedTarget(attempt)
        let browser = FakeBrowser(server)
        for _ in 0..<2 { #expect(await browser.get(target).status == 200) }
        let signedIn = try await server.signedInBrowser()
        for _ in 0..<2 { #expect(await signedIn.get(target).status == 200) }
        let answer = try await signedIn.decide("allow", on: await signedIn.get(target))
        let code = try #require(try answer.callback()["code"])
        #expect(try await client.redeem(code, attempt).status == 200)
    }
}
