// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import SigningKeys
import StrictJSON
import TestSupport
import Testing

@testable import OAuthClient

@Suite("OAuth 2.0 for First-Party Applications section 5: a sign-in without a browser")
struct FirstPartySignInTests {
    @Test func `a right password gives a session whose tokens are bound to the key of every request`() async throws {
        let fixture = try SignInFixture()
        let signIn = try await fixture.firstStep()
        #expect(signIn.steps == [.password(username: nil), .redirectToWeb])
        #expect(signIn.problem == nil)
        let session = try await signIn.answer(.rightPassword).session
        #expect(try await fixture.get(session) == ("hello", 200))
        #expect(await fixture.server.violations == [])
        #expect(Set(await fixture.server.proofs.map(\.thumbprint)).count == 1)
        let tokens = try #require(await fixture.tokenStore.tokens(of: fixture.client.account))
        #expect(tokens.tokenType == .dpop)
        #expect(tokens.keyThumbprint?.description == (await fixture.server.proofs.first?.thumbprint))
    }

    @Test func `the first request is an authorization request, and an answer has nothing but the answer`() async throws
    {
        let fixture = try SignInFixture()
        var options = AuthorizationOptions()
        options.acrValues = ["urn:acr:2"]
        options.maxAge = .seconds(300)
        let progress = try await fixture.client.startFirstPartySignIn(
            scopes: ["openid", "api:read"],
            loginHint: "ada",
            options: options
        )
        _ = try await progress.signIn.answer(.wrongPassword)
        let forms = await fixture.server.challengeForms
        #expect(
            Set(forms[0].all.map(\.name)) == [
                "client_id", "response_type", "scope", "code_challenge", "code_challenge_method", "redirect_uri",
                "state",
                "nonce", "acr_values", "max_age", "login_hint", "dpop_jkt",
            ]
        )
        #expect(forms[0].text("code_challenge_method") == "S256")
        #expect(forms[0].text("login_hint") == "ada")
        #expect(
            Set(forms[1].all.map(\.name)) == ["client_id", "auth_session", "step", "username", "password"]
        )
    }

    @Test func `a wrong password is no error: the same step again, with a problem and a new value`() async throws {
        let fixture = try SignInFixture()
        let first = try await fixture.firstStep()
        let second = try await first.answer(.wrongPassword).signIn
        #expect(second.problem == .wrongAnswer)
        #expect(second.steps == first.steps)
        #expect(second.state.authSession.value != first.state.authSession.value)
        _ = try await second.answer(.rightPassword).session
        let values = await fixture.server.challengeForms.map { $0.text("auth_session") }
        #expect(values == [nil, first.state.authSession.value, second.state.authSession.value])
    }

    @Test func `a second step is asked for after the first`() async throws {
        let fixture = try SignInFixture()
        await fixture.server.change {
            $0.firstParty.secondSteps = [
                ["type": "totp", "digits": 8], ["type": "recovery_code", "remaining": "few"],
                ["type": "passkey", "public_key": ["challenge": "AAAA"]], ["type": "email_code", "to": "a…@b.example"],
            ]
        }
        let second = try await fixture.firstStep().answer(.rightPassword).signIn
        #expect(
            second.steps == [
                .totp(digits: 8), .recoveryCode, .passkey(PasskeyRequest(json: #"{"challenge":"AAAA"}"#)),
                .other(type: "email_code", members: ["type": "email_code", "to": "a…@b.example"]),
            ]
        )
        let session = try await second.answer(.totp("123 456")).session
        #expect(try await fixture.get(session).status == 200)
        #expect(await fixture.server.challengeForms.last?.text("code") == "123456")
    }

    @Test(arguments: [
        StepAnswer.recoveryCode("123456"), .passkey(json: "{}"), .other(type: "email_code", parameters: ["code": "1"]),
    ])
    func `every kind of answer is sent with its own parameters`(_ answer: StepAnswer) async throws {
        let fixture = try SignInFixture()
        await fixture.server.change {
            $0.firstParty.secondSteps = [
                ["type": "recovery_code"], ["type": "passkey", "public_key": [:]], ["type": "email_code"],
            ]
        }
        let second = try await fixture.firstStep().answer(.rightPassword).signIn
        _ = try await second.answer(answer)
        let form = try #require(await fixture.server.challengeForms.last)
        #expect(form.text("step") == answer.type.rawValue)
        switch answer {
        case .recoveryCode: #expect(form.text("code") == "123456")
        case .passkey: #expect(form.text("credential") == "{}")
        default: #expect(form.text("code") == "1")
        }
    }

    @Test func `a server that keeps one value for the whole sign-in is followed too`() async throws {
        let fixture = try SignInFixture()
        await fixture.server.change { $0.firstParty.replacesSessions = false }
        let second = try await fixture.firstStep().answer(.wrongPassword).signIn
        _ = try await second.answer(.rightPassword).session
        let values = await fixture.server.challengeForms.dropFirst().map { $0.text("auth_session") }
        #expect(Set(values).count == 1)
    }

    @Test(arguments: [400, 401, 403])
    func `the error decides and not its status, which drafts changed`(_ status: Int) async throws {
        let fixture = try SignInFixture()
        await fixture.answerNext(
            .json(
                status,
                [
                    "error": "insufficient_authorization", "auth_session": "a", "steps": [["type": "totp"]],
                    "unknown": ["member"],
                ]
            )
        )
        #expect(try await fixture.firstStep().steps == [.totp(digits: 6)])
    }

    @Test func `a nonce is fetched with the first request, so that the password is sent once`() async throws {
        let fixture = try SignInFixture()
        await fixture.server.change { $0.tokenNonces = .alwaysNew }
        _ = try await fixture.firstStep().answer(.rightPassword).session
        #expect(await fixture.server.violations == [])
        #expect(await fixture.server.requests(to: SignInFixture.challengePath).count == 3)
        #expect(await fixture.server.challengeForms.filter { $0.text("password") != nil }.count == 1)
    }

    @Test func `a client without a redirect URI signs in, and sends none with the code`() async throws {
        let server = FakeServer()
        let client = try OAuth2Client(
            issuer: FakeServer.issuer,
            clientID: "my-app",
            transport: server,
            clock: FixedClock(),
            entropy: SeededEntropy(seed: 1)
        )
        let session = try await client.startFirstPartySignIn(scopes: ["a"]).signIn.answer(.rightPassword).session
        #expect(try await session.tokenManager.fetch().tokenType == .dpop)
        let form = try #require(await server.requests(to: "/token").last).form
        #expect(form.values(for: "redirect_uri") == [])
        #expect(await server.challengeForms.first?.values(for: "redirect_uri") == [])
    }

    @Test func `the code is exchanged with the redirect URI of the first request`() async throws {
        let fixture = try SignInFixture()
        _ = try await fixture.firstStep().answer(.rightPassword).session
        let form = try #require(await fixture.server.requests(to: "/token").last).form
        #expect(form.text("redirect_uri") == "com.example.app:/callback")
    }

    @Test func `tokens that are not bound to the key are rejected and revoked, whatever the configuration allows`()
        async throws
    {
        let fixture = try SignInFixture {
            $0.tokenBoundConfiguration = BoundedTokenConfiguration(fallback: .bearerTokensInsteadOfBoundOnes)
        }
        await fixture.server.change { $0.tokenType = "Bearer" }
        let signIn = try await fixture.firstStep()
        let error = await clientError { _ = try await signIn.answer(.rightPassword) }
        #expect(error?.code == .tokenTypeRejected)
        #expect(await fixture.server.revoked.count == 1)
        #expect(try await fixture.client.restoreSession() == nil)
    }

    @Test func `a client that uses no key does not sign in without a browser`() async throws {
        let fixture = try SignInFixture { $0.tokenBoundConfiguration = UnboundedTokenConfiguration() }
        let error = await clientError { _ = try await fixture.client.startFirstPartySignIn(scopes: ["a"]) }
        #expect(error?.code == .invalidArgument)
        #expect(await fixture.server.challengeForms.isEmpty)
    }
}

extension HTTPRequest {
    /// The form in the body.
    var form: FormParameters { (try? FormParameters(decoding: body)) ?? [:] }
}
