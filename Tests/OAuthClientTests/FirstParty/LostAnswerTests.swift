// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import OAuthSystem
import StrictJSON
import TestSupport
import Testing

@testable import OAuthClient

@Suite("Answers whose response does not come, and answers that come twice", .timeLimit(.minutes(2)))
struct LostAnswerTests {
    @Test func `an answer whose response was lost is never sent again`() async throws {
        let fixture = try SignInFixture()
        let signIn = try await fixture.firstStep()
        await fixture.server.change { $0.losesResponses = [SignInFixture.challengePath] }
        let error = await clientError { _ = try await signIn.answer(.rightPassword) }
        #expect(error?.code == .signInExpired)
        #expect((error?.underlying as? OAuthClientError)?.code == .transportFailed)
        await fixture.server.change { $0.losesResponses = [] }
        #expect(await clientError { _ = try await signIn.answer(.rightPassword) }?.code == .signInExpired)
        #expect(await fixture.server.challengeForms.filter { $0.text("password") != nil }.count == 1)
    }

    @Test func `an answer that was certainly not sent can be sent again`() async throws {
        let fixture = try SignInFixture()
        let signIn = try await fixture.firstStep()
        await fixture.server.change { $0.unreachable = [SignInFixture.challengePath] }
        let error = await clientError { _ = try await signIn.answer(.rightPassword) }
        #expect(error?.code == .transportFailed)
        await fixture.server.change { $0.unreachable = [] }
        _ = try await signIn.answer(.rightPassword).session
    }

    @Test func `a first request whose response was lost can be made again: nothing was answered`() async throws {
        let fixture = try SignInFixture()
        await fixture.server.change { $0.losesResponses = [SignInFixture.challengePath] }
        #expect(await clientError { _ = try await fixture.firstStep() }?.code == .transportFailed)
        await fixture.server.change { $0.losesResponses = [] }
        _ = try await fixture.firstStep().answer(.rightPassword).session
    }

    @Test func `an answer is repeated for a new nonce, once`() async throws {
        let fixture = try SignInFixture()
        let signIn = try await fixture.firstStep()
        await fixture.server.change { $0.tokenNonces = .fixed("n1") }
        _ = try await signIn.answer(.rightPassword).session
        #expect(await fixture.server.requests(to: SignInFixture.challengePath).count == 3)
        #expect(await fixture.server.challengeForms.filter { $0.text("password") != nil }.count == 1)
    }

    @Test func `a nonce that is never good ends the answer after one repetition`() async throws {
        let fixture = try SignInFixture()
        let signIn = try await fixture.firstStep()
        await fixture.server.change { $0.tokenNonces = .neverGood("n1") }
        let error = await clientError { _ = try await signIn.answer(.rightPassword) }
        #expect(error?.code == .serverRejected)
        #expect(await fixture.server.requests(to: SignInFixture.challengePath).count == 3)
    }

    @Test func `of many answers at once one is sent`() async throws {
        let fixture = try SignInFixture()
        let signIn = try await fixture.firstStep()
        let codes = await withTaskGroup(of: OAuthClientError.Code?.self) { group in
            for _ in 0..<16 {
                group.addTask { await clientError { _ = try await signIn.answer(.rightPassword) }?.code }
            }
            return await group.reduce(into: [OAuthClientError.Code?]()) { $0.append($1) }
        }
        #expect(codes.filter { $0 == nil }.count == 1)
        #expect(codes.filter { $0 == .signInExpired }.count == 15)
        #expect(await fixture.server.challengeForms.count == 2)
    }

    @Test func `a sign-in that was given up sends nothing`() async throws {
        let fixture = try SignInFixture()
        let signIn = try await fixture.firstStep()
        signIn.cancel()
        #expect(await clientError { _ = try await signIn.answer(.rightPassword) }?.code == .signInExpired)
        #expect(await fixture.server.challengeForms.count == 1)
    }

    @Test func `a caller that is cancelled leaves the tokens stored, not lost`() async throws {
        let fixture = try SignInFixture()
        let signIn = try await fixture.firstStep()
        let gate = Gate()
        await fixture.server.change { $0.beforeToken = { await gate.pass() } }
        let task = Task { await clientError { _ = try await signIn.answer(.rightPassword) }?.code }
        try await gate.arrival()
        task.cancel()
        #expect(await task.value == .cancelled)
        await gate.open()
        while await fixture.tokenStore.tokens(of: fixture.client.account) == nil {
            try await Task.sleep(for: .milliseconds(1))
        }
        let session = try #require(try await fixture.client.restoreSession())
        #expect(try await fixture.get(session).status == 200)
    }

    @Test func `the clock is corrected as for a token request`() async throws {
        let fixture = try SignInFixture()
        let time = fixture.clock.now() + .seconds(600)
        await fixture.server.change {
            $0.time = time
            $0.date = "Mon, 21 Sep 2026 14:23:20 GMT"
        }
        _ = try await fixture.firstStep().answer(.rightPassword).session
        #expect(await fixture.server.requests(to: SignInFixture.challengePath).count == 3)
    }
}
