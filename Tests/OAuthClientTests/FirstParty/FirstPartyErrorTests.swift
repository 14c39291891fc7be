// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import SigningKeys
import StrictJSON
import TestSupport
import Testing

@testable import OAuthClient

@Suite("OAuth 2.0 for First-Party Applications section 5.2.2.1: what the server says no to")
struct FirstPartyErrorTests {
    /// A response to an answer, the error of the client, and whether the same sign-in can be answered again.
    struct Case: Sendable, CustomTestStringConvertible {
        let status: Int
        let error: String
        let code: OAuthClientError.Code
        let mayAnswerAgain: Bool

        var testDescription: String { "\(status) \(error)" }

        init(_ status: Int, _ error: String, _ code: OAuthClientError.Code, again mayAnswerAgain: Bool) {
            (self.status, self.error, self.code, self.mayAnswerAgain) = (status, error, code, mayAnswerAgain)
        }
    }

    private static let cases = [
        Case(400, "invalid_session", .signInExpired, again: false),
        Case(400, "access_denied", .authorizationRejected, again: false),
        Case(403, "access_denied", .authorizationRejected, again: false),
        Case(400, "login_required", .authorizationRejected, again: false),
        Case(400, "unmet_authentication_requirements", .authorizationRejected, again: false),
        Case(400, "invalid_request", .serverRejected, again: true),
        Case(400, "invalid_scope", .serverRejected, again: true),
        Case(400, "invalid_target", .serverRejected, again: true),
        Case(400, "unauthorized_client", .firstPartyNotSupported, again: true),
        Case(401, "invalid_client", .serverRejected, again: true),
        Case(400, "invalid_client_attestation", .attestationRefused, again: true),
        Case(400, "use_fresh_attestation", .attestationRefused, again: true),
        Case(400, "invalid_dpop_proof", .serverRejected, again: true),
        Case(429, "temporarily_unavailable", .tooManyAttempts, again: true),
        Case(503, "temporarily_unavailable", .serverUnavailable, again: true),
        Case(500, "server_error", .serverUnavailable, again: true),
    ]

    @Test(arguments: cases)
    func `each error has its code, and only one that leaves the step open lets it be answered again`(
        _ example: Case
    ) async throws {
        let fixture = try SignInFixture()
        let signIn = try await fixture.firstStep()
        await fixture.answerNext(.error(example.status, example.error))
        let error = try #require(await clientError { _ = try await signIn.answer(.rightPassword) })
        #expect(error.code == example.code)
        #expect(error.answer?.error.rawValue == example.error)
        #expect(error.status == example.status)
        let sent = await fixture.server.requests(to: SignInFixture.challengePath).count
        if example.mayAnswerAgain {
            _ = try await signIn.answer(.rightPassword).session
        } else {
            #expect(await clientError { _ = try await signIn.answer(.rightPassword) }?.code == .signInExpired)
            #expect(await fixture.server.requests(to: SignInFixture.challengePath).count == sent)
        }
    }

    @Test(arguments: cases)
    func `a first request fails with the same code`(_ example: Case) async throws {
        let fixture = try SignInFixture()
        await fixture.answerNext(.error(example.status, example.error))
        let error = await clientError { _ = try await fixture.firstStep() }
        #expect(error?.code == example.code)
        _ = try await fixture.firstStep()
    }

    @Test func `a limit says how long to wait`() async throws {
        let fixture = try SignInFixture()
        var response = HTTPResponse.error(429, "temporarily_unavailable")
        response.fields["Retry-After"] = "77"
        await fixture.answerNext(response)
        let error = await clientError { _ = try await fixture.firstStep() }
        #expect(error?.retryAfter == .seconds(77))
        #expect(error?.recovery == .retry(after: .seconds(77)))
    }

    @Test func `a new value in an error replaces the one that was sent`() async throws {
        let fixture = try SignInFixture()
        let signIn = try await fixture.firstStep()
        await fixture.answerNext(.json(503, ["error": "temporarily_unavailable", "auth_session": "newer"]))
        _ = await clientError { _ = try await signIn.answer(.rightPassword) }
        #expect(signIn.state.authSession.value == "newer")
        _ = await clientError { _ = try await signIn.answer(.rightPassword) }
        #expect(await fixture.server.challengeForms.last?.text("auth_session") == "newer")
    }

    @Test func `a server without the endpoint is told before a key is made`() async throws {
        let fixture = try SignInFixture()
        await fixture.server.change { $0.firstParty.isOffered = false }
        let error = await clientError { _ = try await fixture.firstStep() }
        #expect(error?.code == .firstPartyNotSupported)
        #expect(try await fixture.keyStore.aliases().isEmpty)
    }

    @Test func `a server that does not know the client's way to authenticate is told before anything is sent`()
        async throws
    {
        let fixture = try SignInFixture {
            $0.clientAuthentication = .clientSecretBasic(ClientSecret("x"))
        }
        await fixture.server.change { $0.metadata["token_endpoint_auth_methods_supported"] = ["private_key_jwt"] }
        let error = await clientError { _ = try await fixture.firstStep() }
        #expect(error?.code == .firstPartyNotSupported)
        #expect(await fixture.server.requests(to: SignInFixture.challengePath).isEmpty)
    }

    @Test func `an answer to a step that was not offered is not sent`() async throws {
        let fixture = try SignInFixture()
        let signIn = try await fixture.firstStep()
        let error = await clientError { _ = try await signIn.answer(.totp("123456")) }
        #expect(error?.code == .stepNotOffered)
        #expect(await fixture.server.challengeForms.count == 1)
        _ = try await signIn.answer(.rightPassword).session
    }

    private static let unsendable: [StepAnswer] = [
        .password(username: "", password: "secret"), .password(username: "ada", password: ""),
        .password(username: String(repeating: "a", count: 257), password: "secret"),
        .password(username: "ada", password: String(repeating: "a", count: 1025)), .totp(" "),
        .totp("12345678901234567"), .recoveryCode(""), .passkey(json: String(repeating: "a", count: 16_385)),
        .other(type: "odd", parameters: ["auth_session": "x"]), .other(type: "odd", parameters: ["client_id": "x"]),
        .other(type: "odd", parameters: ["step": "password"]), .other(type: "odd", parameters: ["a": ""]),
    ]

    @Test(arguments: unsendable)
    func `an answer of the wrong form is not sent, and uses up nothing`(_ answer: StepAnswer) async throws {
        let fixture = try SignInFixture()
        await fixture.answerNext(
            .json(
                403,
                [
                    "error": "insufficient_authorization", "auth_session": "a",
                    "steps": [
                        ["type": "password"], ["type": "totp"], ["type": "recovery_code"],
                        ["type": "passkey", "public_key": [:]], ["type": "odd"],
                    ],
                ]
            )
        )
        let signIn = try await fixture.firstStep()
        let error = await clientError { _ = try await signIn.answer(answer) }
        #expect(error?.code == .invalidArgument)
        #expect(await fixture.server.requests(to: SignInFixture.challengePath).count == 1)
    }
}
