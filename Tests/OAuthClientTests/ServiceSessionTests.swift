// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPMessage
import OAuthClient
import OAuthCore
import Testing

@Suite("RFC 6749 section 4.4: the session of a service", .timeLimit(.minutes(2)))
struct ServiceSessionTests {
    private func fixture() throws -> SignInFixture {
        try SignInFixture { $0.clientAuthentication = .clientSecretPost(ClientSecret("a secret")) }
    }

    @Test func `tokens are renewed ahead of their expiry, once for all callers`() async throws {
        let fixture = try fixture()
        let session = try await fixture.client.serviceSession(scopes: ["api:read"])
        #expect(try await fixture.get(session).status == 200)
        #expect(await fixture.server.requests(to: "/token").count == 1)
        fixture.pass(.seconds(290))
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<10 { group.addTask { try await fixture.get(session).status } }
            for try await status in group { #expect(status == 200) }
        }
        #expect(await fixture.server.requests(to: "/token").count == 2)
    }

    @Test func `a rejected token is renewed, and an API that never accepts one causes no storm`() async throws {
        let fixture = try fixture()
        let session = try await fixture.client.serviceSession(scopes: ["api:read"])
        await fixture.server.forgetAccessTokens()
        #expect(try await fixture.get(session).status == 200)
        await fixture.server.change { $0.rejectsAllTokens = true }
        for _ in 0..<5 { #expect(try await fixture.get(session).status == 401) }
        #expect(await fixture.server.requests(to: "/token").count == 3)
    }

    @Test func `a server that is down is asked again after a pause`() async throws {
        let fixture = try fixture()
        let session = try await fixture.client.serviceSession()
        fixture.pass(.seconds(400))
        await fixture.server.change { $0.unreachable = ["/token"] }
        #expect(await clientError { _ = try await fixture.get(session) }?.code == .transportFailed)
        let sent = await fixture.server.requests(to: "/token").count
        #expect(await clientError { _ = try await fixture.get(session) }?.code == .serverUnavailable)
        #expect(await fixture.server.requests(to: "/token").count == sent)
        await fixture.server.change { $0.unreachable = [] }
        fixture.pass(.seconds(60))
        #expect(try await fixture.get(session).status == 200)
    }

    @Test(arguments: [false, true])
    func `what a renewal brings during a sign-out is revoked, and so are the tokens for other resources`(
        _ isForOther: Bool
    ) async throws {
        let fixture = try fixture()
        let session = try await fixture.client.serviceSession(scopes: ["api:read"])
        let manager = session.tokenManager
        let resource = ["https://api.example/other"]
        _ = try await manager.fetch(resources: resource)
        let gate = Gate()
        await fixture.server.change { $0.beforeToken = { await gate.pass() } }
        let renewal = Task {
            isForOther
                ? try await manager.fetch(resources: ["https://api.example/third"]) : try await manager.refresh()
        }
        try await gate.arrival()
        await session.signOut()
        await gate.open()
        #expect(await clientError { _ = try await renewal.value }?.code == .sessionEnded)
        let (issued, revoked) = await (fixture.server.goodTokens, fixture.server.revoked)
        #expect(issued.count == 3)
        #expect(Set(revoked) == issued)
    }

    @Test func `signing out revokes the access token, and touches neither the user's tokens nor the key`() async throws
    {
        let fixture = try fixture()
        let user = try await fixture.session()
        let service = try await fixture.client.serviceSession(scopes: ["api:read"])
        let token = try await service.tokenManager.fetch().accessToken
        let result = await service.signOut()
        #expect(result.failure == nil)
        #expect(await fixture.server.revoked == [token.value])
        #expect(await clientError { _ = try await fixture.get(service) }?.code == .sessionEnded)
        #expect(try await fixture.get(user).status == 200)
        try await user.refresh()
    }
}
