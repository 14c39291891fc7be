// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import StrictJSON
import Testing

@testable import OAuthClient

@Suite("Responses of an authorization challenge endpoint that no client may follow")
struct MalformedChallengeTests {
    private static let open: JSONObject = [
        "error": "insufficient_authorization", "auth_session": "a", "steps": [["type": "password"]],
    ]

    /// The response with other members.
    private static func open(_ changes: JSONObject) -> JSONObject {
        var object = open
        for change in changes.members { object[change.name] = change.value == .null ? nil : change.value }
        return object
    }

    private static let malformed: [(status: Int, body: JSONObject)] = [
        (403, open(["auth_session": .null])),
        (403, open(["auth_session": ""])),
        (403, open(["auth_session": "a b"])),
        (403, open(["auth_session": 7])),
        (403, open(["auth_session": .string(String(repeating: "a", count: 4097))])),
        (403, open(["steps": .null])),
        (403, open(["steps": []])),
        (403, open(["steps": ["password"]])),
        (403, open(["steps": [["type": 1]]])),
        (403, open(["steps": [["type": "pass word"]]])),
        (403, open(["steps": .array(Array(repeating: ["type": "password"], count: 17))])),
        (403, open(["steps": [["type": "totp", "digits": 0]]])),
        (403, open(["steps": [["type": "totp", "digits": "6"]]])),
        (403, open(["steps": [["type": "passkey"]]])),
        (403, open(["authorization_code": "c"])),
        (403, ["error": "redirect_to_web", "request_uri": 1]),
        (403, ["error": "redirect_to_web", "request_uri": "a b"]),
        (403, ["error": "redirect_to_web", "request_uri": .string(String(repeating: "a", count: 2049))]),
        (200, ["authorization_code": "c", "error": "access_denied"]),
        (200, ["auth_session": "a"]),
        (200, ["authorization_code": ""]),
        (200, ["authorization_code": 1]),
        (200, [:]),
        (204, [:]),
        (403, ["steps": [["type": "password"]], "auth_session": "a"]),
        (302, open),
        (500, ["error": "insufficient_authorization"]),
    ]

    @Test(arguments: malformed.indices)
    func `a malformed response is an error, and no token request follows`(_ index: Int) async throws {
        let fixture = try SignInFixture()
        let example = Self.malformed[index]
        await fixture.answerNext(.json(example.status, example.body))
        let error = await clientError { _ = try await fixture.firstStep() }
        #expect(error?.code == (example.status == 500 ? .serverUnavailable : .malformedResponse))
        #expect(await fixture.server.requests(to: "/token").isEmpty)
    }

    @Test(arguments: malformed.indices)
    func `after a malformed response to an answer nothing is sent again`(_ index: Int) async throws {
        let example = Self.malformed[index]
        // Without a value, the one that was sent stays.
        guard example.status != 500, example.body != Self.open(["auth_session": .null]) else { return }
        let fixture = try SignInFixture()
        let signIn = try await fixture.firstStep()
        await fixture.answerNext(.json(example.status, example.body))
        #expect(await clientError { _ = try await signIn.answer(.rightPassword) }?.code == .malformedResponse)
        #expect(await clientError { _ = try await signIn.answer(.rightPassword) }?.code == .signInExpired)
        #expect(await fixture.server.challengeForms.filter { $0.text("password") != nil }.isEmpty)
        #expect(await fixture.server.requests(to: SignInFixture.challengePath).count == 2)
    }

    @Test func `an answer of 4096 bytes and of 16 steps is followed`() async throws {
        let fixture = try SignInFixture()
        let session = String(repeating: "a", count: 4096)
        let steps = JSONValue.array(Array(repeating: ["type": "password"], count: 16))
        await fixture.answerNext(.json(403, Self.open(["auth_session": .string(session), "steps": steps])))
        let signIn = try await fixture.firstStep()
        #expect(signIn.steps.count == 16)
        #expect(signIn.state.authSession.value == session)
    }

    @Test func `a problem that this version does not know is a wrong answer`() async throws {
        for (word, problem) in [("odd", SignInProblem.wrongAnswer), ("code_used", .codeUsed)] {
            let fixture = try SignInFixture()
            await fixture.answerNext(.json(403, Self.open(["problem": .string(word)])))
            #expect(try await fixture.firstStep().problem == problem)
        }
    }

    @Test func `a user name that cannot be shown is left out`() async throws {
        let names: [(String, String?)] = [
            ("ada", "ada"), ("", nil), ("a\u{07}b", nil), (String(repeating: "a", count: 257), nil),
        ]
        for (sent, shown) in names {
            let fixture = try SignInFixture()
            await fixture.answerNext(
                .json(403, Self.open(["steps": [["type": "password", "username": .string(sent)]]]))
            )
            #expect(try await fixture.firstStep().steps == [.password(username: shown)])
        }
    }
}
