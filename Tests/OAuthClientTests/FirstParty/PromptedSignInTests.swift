// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import StrictJSON
import TestSupport
import Testing

@testable import OAuthClient

@Suite("All of a sign-in without a browser in one call")
struct PromptedSignInTests {
    private func signIn(
        _ fixture: SignInFixture,
        _ prompter: some SignInPrompter,
        browser: Bool = true
    ) async throws -> OAuthSession {
        try await fixture.client.signIn(
            scopes: ["api:read"],
            asking: prompter,
            fallback: browser ? ApprovingUser(server: fixture.server) : nil
        )
    }

    @Test func `the user is asked until the answers do`() async throws {
        let fixture = try SignInFixture()
        await fixture.server.change { $0.firstParty.secondSteps = [["type": "totp"]] }
        let prompter = ScriptedPrompter(.wrongPassword, .rightPassword, .totp("123456"))
        let session = try await signIn(fixture, prompter, browser: false)
        #expect(try await fixture.get(session).status == 200)
        let questions = await prompter.questions
        #expect(questions.map(\.problem) == [nil, .wrongAnswer, nil])
        #expect(questions.last?.steps == [.totp(digits: 6)])
    }

    @Test func `a user who gives up cancels`() async throws {
        let fixture = try SignInFixture()
        let error = await clientError { _ = try await signIn(fixture, ScriptedPrompter(nil)) }
        #expect(error?.code == .cancelled)
        #expect(await fixture.server.challengeForms.count == 1)
    }

    @Test func `the error of a prompter is wrapped`() async throws {
        struct Odd: Error {}
        struct Broken: SignInPrompter {
            func answer(_ steps: [SignInStep], problem: SignInProblem?) async throws -> StepAnswer? { throw Odd() }
        }
        let fixture = try SignInFixture()
        let error = await clientError { _ = try await signIn(fixture, Broken()) }
        #expect(error?.code == .userAgentFailed)
        #expect(error?.underlying is Odd)
    }

    @Test func `the browser is opened where the user wants it`() async throws {
        let fixture = try SignInFixture()
        _ = try await signIn(fixture, ScriptedPrompter(.redirectToWeb))
        #expect(await fixture.server.challengeForms.map { $0.text("step") } == [nil, "redirect_to_web"])
    }

    @Test func `without a browser nothing is sent for one`() async throws {
        let fixture = try SignInFixture()
        let error = await clientError {
            _ = try await signIn(fixture, ScriptedPrompter(.redirectToWeb), browser: false)
        }
        #expect(error?.code == .browserNeeded)
        #expect(await fixture.server.challengeForms.count == 1)
    }

    @Test func `where the server wants the browser at once, and there is none, the error says so`() async throws {
        let fixture = try SignInFixture()
        await fixture.answerNext(.error(403, "redirect_to_web"))
        let error = await clientError { _ = try await signIn(fixture, ScriptedPrompter(), browser: false) }
        #expect(error?.code == .browserNeeded)
    }

    @Test func `where only the browser is offered, the user is not asked`() async throws {
        let fixture = try SignInFixture()
        await fixture.server.change { $0.firstParty.secondSteps = [["type": "redirect_to_web"]] }
        let prompter = ScriptedPrompter(.rightPassword)
        _ = try await signIn(fixture, prompter)
        #expect(await prompter.questions.count == 1)
        #expect(await fixture.server.challengeForms.last?.text("step") == "redirect_to_web")
    }

    @Test func `a server without the endpoint, and one that refuses this client, is opened in the browser`()
        async throws
    {
        let fixture = try SignInFixture()
        await fixture.server.change { $0.firstParty.isOffered = false }
        #expect(try await fixture.get(signIn(fixture, ScriptedPrompter())).status == 200)
        let other = try SignInFixture()
        await other.answerNext(.error(400, "unauthorized_client"))
        #expect(try await other.get(signIn(other, ScriptedPrompter())).status == 200)
        let third = try SignInFixture()
        await third.server.change { $0.firstParty.isOffered = false }
        let error = await clientError { _ = try await signIn(third, ScriptedPrompter(), browser: false) }
        #expect(error?.code == .firstPartyNotSupported)
    }

    @Test(arguments: ["invalid_session", "access_denied", "invalid_client_attestation"])
    func `a sign-in that failed does not go to the browser by itself`(_ error: String) async throws {
        let fixture = try SignInFixture()
        let prompter = AnsweringPrompter(fixture: fixture, error: error)
        #expect(await clientError { _ = try await signIn(fixture, prompter) } != nil)
        #expect(await fixture.server.requests(to: "/par").isEmpty)
    }
}

/// Has the server fail at the answer.
private struct AnsweringPrompter: SignInPrompter {
    let fixture: SignInFixture
    let error: String

    func answer(_ steps: [SignInStep], problem: SignInProblem?) async throws -> StepAnswer? {
        await fixture.answerNext(.error(400, error))
        return .rightPassword
    }
}
