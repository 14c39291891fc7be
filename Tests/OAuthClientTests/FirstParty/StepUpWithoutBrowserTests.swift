// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import OAuthSystem
import TestSupport
import Testing

@testable import OAuthClient

@Suite("OAuth 2.0 for First-Party Applications section 5.3.1: a finished sign-in is kept for later ones")
struct StepUpWithoutBrowserTests {
    @Test func `the finished value is sent with the next first request, and does for it`() async throws {
        let fixture = try SignInFixture()
        _ = try await fixture.firstStep().answer(.rightPassword).session
        let session = try await fixture.client.startFirstPartySignIn(scopes: ["api:write"]).session
        #expect(try await fixture.get(session).status == 200)
        let forms = await fixture.server.challengeForms
        #expect(forms.count == 3)
        #expect(forms[0].text("code_challenge") != forms[2].text("code_challenge"))
        let kept = await fixture.tokenStore.tokens(of: fixture.client.account)?.record.authSession
        #expect(kept?.value != forms[2].text("auth_session"))
        #expect(kept?.expiresAt == fixture.clock.now() + .seconds(28_800))
    }

    @Test func `it survives a refresh and a new process`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.firstStep().answer(.rightPassword).session
        try await session.tokenManager.refresh()
        let stored = try #require(await fixture.tokenStore.tokens(of: fixture.client.account))
        let again = try TokenSet(parsing: stored.json)
        #expect(again.record.authSession != nil)
        #expect(again.record.authSession == stored.record.authSession)
    }

    @Test func `one that the server has forgotten is left out, once`() async throws {
        let fixture = try SignInFixture()
        _ = try await fixture.firstStep().answer(.rightPassword).session
        await fixture.server.forgetFinishedSignIns()
        let signIn = try await fixture.firstStep()
        let forms = await fixture.server.challengeForms
        #expect(forms.count == 4)
        #expect(forms[2].text("auth_session") != nil)
        #expect(forms[3].text("auth_session") == nil)
        #expect(forms[2].text("code_challenge") == forms[3].text("code_challenge"))
        _ = try await signIn.answer(.rightPassword).session
    }

    @Test func `one that has expired, or is of another key, is not sent`() async throws {
        let fixture = try SignInFixture()
        _ = try await fixture.firstStep().answer(.rightPassword).session
        let other = try SignInFixture(tokenStore: fixture.tokenStore, server: fixture.server, seed: 7)
        _ = try await other.firstStep()
        fixture.pass(.seconds(28_800))
        _ = try await fixture.firstStep()
        let sent = await fixture.server.challengeForms.filter {
            $0.text("step") == nil && $0.text("auth_session") != nil
        }
        #expect(sent.isEmpty)
    }

    @Test func `it is deleted at sign-out, also where the server cannot be reached`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.firstStep().answer(.rightPassword).session
        await fixture.server.change { $0.unreachable = ["/revoke"] }
        await session.signOut()
        let stored = await fixture.tokenStore.tokens(of: fixture.client.account)
        #expect(stored?.isEnded == true)
        #expect(stored?.record.authSession == nil)
        _ = try await fixture.firstStep()
        #expect(await fixture.server.challengeForms.last?.text("auth_session") == nil)
    }
}

extension FakeServer {
    /// As after a change of the password.
    func forgetFinishedSignIns() {
        firstParty.finished = [:]
    }
}
