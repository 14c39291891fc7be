// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import PKCE
import SigningKeys
import StrictJSON
import TestSupport
import Testing

@testable import OAuthClient

@Suite("A sign-in without a browser that outlives the app")
struct FirstPartyStateTests {
    /// A state with a value in everything, between the password and the second factor.
    private func state(_ fixture: SignInFixture) async throws -> FirstPartySignInState {
        await fixture.server.change {
            $0.firstParty.secondSteps = [
                ["type": "totp", "digits": 6], ["type": "odd", "a": [1, 2]],
                ["type": "passkey", "public_key": ["challenge": "x"]], ["type": "password", "username": "ada"],
                ["type": "recovery_code"], ["type": "redirect_to_web"],
            ]
        }
        var options = AuthorizationOptions()
        options.resources = ["https://api.example"]
        options.maxAge = .seconds(60)
        let first = try await fixture.client.startFirstPartySignIn(
            scopes: ["api:read"],
            loginHint: "ada",
            options: options
        )
        let second = try await first.signIn.answer(.rightPassword).signIn
        return try await second.answer(.totp("999999")).signIn.state
    }

    @Test func `a state survives every encoder, and goes on in a new process`() async throws {
        let fixture = try SignInFixture()
        let state = try await state(fixture)
        let json = try JSONDecoder().decode(
            FirstPartySignInState.self,
            from: JSONEncoder().encode(state)
        )
        let list = try PropertyListDecoder().decode(
            FirstPartySignInState.self,
            from: PropertyListEncoder().encode(state)
        )
        #expect(json == state)
        #expect(list == state)
        let again = try SignInFixture(
            tokenStore: fixture.tokenStore,
            keyStore: fixture.keyStore,
            server: fixture.server,
            seed: 2
        )
        let signIn = try await again.client.resumeFirstPartySignIn(json)
        #expect(signIn.steps == state.steps)
        #expect(signIn.problem == .wrongAnswer)
        #expect(try await again.get(signIn.answer(.totp("123456")).session).status == 200)
        #expect(await fixture.server.violations == [])
    }

    @Test func `nothing that the user typed is in a state, and nothing of it is printed`() async throws {
        let fixture = try SignInFixture()
        await fixture.server.change { $0.firstParty.password = "MARK-password" }
        let first = try await fixture.firstStep()
        let second = try await first.answer(.password(username: "MARK-name", password: "MARK-guess")).signIn
        let kept = String(decoding: try JSONEncoder().encode(second.state), as: UTF8.self)
        #expect(!kept.contains("MARK"))
        #expect(kept.contains(second.state.authSession.value))
        let answer = StepAnswer.password(username: "MARK-name", password: "MARK-password")
        var printed = "\(second) \(second.state) \(answer) \(second.state.authSession) "
        printed += String(reflecting: second) + String(reflecting: second.state) + String(reflecting: answer)
        dump(second, to: &printed)
        dump(second.state, to: &printed)
        dump(answer, to: &printed)
        _ = try await second.answer(answer)
        dump(await fixture.tokenStore.tokens(of: fixture.client.account), to: &printed)
        let tokens = try #require(await fixture.tokenStore.tokens(of: fixture.client.account))
        let secrets = [
            "MARK", second.state.authSession.value, second.state.transaction.codeVerifier.text,
            second.state.transaction.state, try #require(tokens.record.authSession?.value),
        ]
        for secret in secrets { #expect(!printed.contains(secret)) }
    }

    @Test func `a state is too old after its time`() async throws {
        let fixture = try SignInFixture()
        let state = try await fixture.firstStep().state
        #expect(state.expiresAt == fixture.clock.now() + .seconds(287))
        fixture.pass(.seconds(286))
        _ = try await fixture.client.resumeFirstPartySignIn(state)
        fixture.pass(.seconds(1))
        let error = await clientError { _ = try await fixture.client.resumeFirstPartySignIn(state) }
        #expect(error?.code == .signInExpired)
    }

    @Test func `a state whose key is another one by now, or gone, is over`() async throws {
        let fixture = try SignInFixture()
        let state = try await fixture.firstStep().state
        for keyStore in [MemoryKeyStore(), KeylessStore()] as [any KeyStore] {
            let other = try SignInFixture(keyStore: keyStore, server: fixture.server, seed: 3)
            if keyStore is MemoryKeyStore { _ = try await other.firstStep() }
            let error = await clientError { _ = try await other.client.resumeFirstPartySignIn(state) }
            #expect(error?.code == .signInExpired)
        }
    }

    @Test func `a key that is replaced between two steps ends the sign-in before anything is sent`() async throws {
        let fixture = try SignInFixture()
        let signIn = try await fixture.firstStep()
        for alias in try await fixture.keyStore.aliases() { try await fixture.keyStore.delete(alias) }
        let error = await clientError { _ = try await signIn.answer(.rightPassword) }
        #expect(error?.code == .signInExpired)
        #expect(await fixture.server.challengeForms.count == 1)
    }

    @Test func `a locked key does not end the sign-in: it is tried again later`() async throws {
        let fixture = try SignInFixture()
        let state = try await fixture.firstStep().state
        let locked = try SignInFixture(keyStore: KeylessStore(loadError: .deviceLocked), server: fixture.server)
        let error = await clientError { _ = try await locked.client.resumeFirstPartySignIn(state) }
        #expect(error?.code == .keyUnavailable)
    }

    @Test func `a state of another client is no argument`() async throws {
        let fixture = try SignInFixture()
        let state = try await fixture.firstStep().state
        let other = try SignInFixture(clientID: "another", keyStore: fixture.keyStore)
        let error = await clientError { _ = try await other.client.resumeFirstPartySignIn(state) }
        #expect(error?.code == .invalidArgument)
    }

    @Test func `what was changed, cut or written by a newer version is no state, and the error quotes nothing`()
        async throws
    {
        let fixture = try SignInFixture()
        let state = try await state(fixture)
        #expect(try FirstPartySignInState(parsing: state.json) == state)
        for member in state.json.members where member.name != "problem" {
            var object = state.json
            object[member.name] = nil
            let cut = #expect(throws: OAuthClientError.self, "\(member.name)") {
                try FirstPartySignInState(parsing: object)
            }
            #expect(cut?.code == .storageFailed)
            object[member.name] = member.name == "v" ? 2 : .bool(true)
            #expect(throws: OAuthClientError.self, "\(member.name)") { try FirstPartySignInState(parsing: object) }
        }
        let text = #"{"sign_in":"MARK"}"#
        let error = #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(FirstPartySignInState.self, from: Data(text.utf8))
        }
        #expect(!"\(try #require(error))".contains("MARK"))
    }
}
