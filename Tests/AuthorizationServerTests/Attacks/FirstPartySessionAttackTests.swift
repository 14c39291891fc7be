// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import ServerStage
import ServerStorage
import StrictJSON
import TestSupport
import Testing

@Suite(
    "Attacks on sign-in without a browser: auth_session, OAuth 2.0 for First-Party Applications section 5.3.1",
    .overSocketsOnEveryStore
)
struct FirstPartySessionAttackTests {
    @Test func `attack 207, auth_session_stolen_other_key`() async throws {
        let (events, hashes) = (RecordedEvents(), Counter())
        let server = try await FirstPartyApp.server(audit: events, hashes: hashes)
        let (victim, thief) = (try await FirstPartyApp(server), try await FirstPartyApp(server, key: 4))
        let session = try await victim.session()
        _ = hashes.take()
        expectSessionRejected(try await thief.answer(session))
        expectSessionRejected(try await thief.answer(session, password: "wrong"))
        expectSessionRejected(try await thief.post(["auth_session": session, "step": "redirect_to_web"]))
        #expect(hashes.take() == 0)
        #expect(events.all.contains { $0.detail == "CheckAuthSession: other key" })
        let next = try expectAskedAgain(try await victim.answer(session, password: "wrong"))
        expectSessionRejected(try await thief.answer(next))
        try await victim.expectGoesOn(next)
    }

    @Test func `attack 208, auth_session_stolen_no_proof`() async throws {
        let server = try await FirstPartyApp.server(recordsProofsInStorage: true)
        let app = try await FirstPartyApp(server)
        let session = try await app.session()
        let answer = FirstPartyApp.answer(session)
        let client = app.client
        let bare = FakeClient(server, clientID: "notes", key: nil, standing: client.standing)
        func send(_ proof: String?, _ parameters: FormParameters) async throws -> HTTPResponse {
            try await bare.postOnce(FirstPartyApp.path, parameters, fields: proof.map { ["DPoP": $0] } ?? [:])
        }
        expect(try await send(nil, answer), isError: "invalid_dpop_proof")
        expect(try await send(client.proof(for: "/token"), answer), isError: "invalid_dpop_proof")
        let get = try await client.proof(for: FirstPartyApp.path) { $0["htm"] = "GET" }
        expect(try await send(get, answer), isError: "invalid_dpop_proof")

        let proof = try await client.proof(for: FirstPartyApp.path)
        let wrong = try await send(proof, FirstPartyApp.answer(session, password: "wrong"))
        let next = try expectAskedAgain(wrong)
        expect(try await send(proof, FirstPartyApp.answer(next)), isError: "invalid_dpop_proof")
        try await app.expectGoesOn(next)
    }

    @Test func `attack 209, auth_session_other_client`() async throws {
        let server = try await FirstPartyApp.server()
        let (notes, shop) = (try await FirstPartyApp(server), try await FirstPartyApp(server, "shop"))
        #expect(notes.client.thumbprint == shop.client.thumbprint)
        let session = try await notes.session()
        let answer = FirstPartyApp.answer(session)
        expectSessionRejected(try await shop.post(answer))
        expectSessionRejected(try await shop.post(answer.adding("client_id", "shop")))
        let confused = try await notes.post(answer.adding("client_id", "shop"))
        expect(confused, isError: "invalid_client_attestation")
        let again = try await shop.post(answer.adding("client_id", "notes"))
        expect(again, isError: "invalid_client_attestation")
        try await notes.expectGoesOn(session)
    }

    @Test func `attack 210, auth_session_old_value`() async throws {
        let (events, hashes) = (RecordedEvents(), Counter())
        let server = try await FirstPartyApp.server(audit: events, hashes: hashes)
        let app = try await FirstPartyApp(server)
        let first = try await app.session()
        let second = try expectAskedAgain(try await app.answer(first, password: "wrong"))
        _ = hashes.take()
        for _ in 0..<8 { expectSessionRejected(try await app.answer(first)) }
        #expect(hashes.take() == 0)
        #expect(events.all.contains { $0.detail == "CheckAuthSession: old value" })
        let third = try await app.answer(second).string("auth_session")
        for old in [first, second, third] { expectSessionRejected(try await app.answer(old)) }
        #expect(try await app.begin(nil, ["auth_session": third]).status == 200)
    }

    @Test func `attack 211, auth_session_expired`() async throws {
        let server = try await FirstPartyApp.server()
        let app = try await FirstPartyApp(server)
        let (idle, late) = (try await app.session(), try await app.session())
        server.clock.advance(by: .seconds(299))
        try await app.expectGoesOn(late)
        server.clock.advance(by: .seconds(1))
        expectSessionRejected(try await app.answer(idle))

        var value = try await app.session()
        for _ in 0..<4 {
            server.clock.advance(by: .seconds(70))
            value = try expectAskedAgain(try await app.answer(value, password: "wrong"))
        }
        server.clock.advance(by: .seconds(20))
        expectSessionRejected(try await app.answer(value))
    }

    @Test func `attack 212, auth_session_malformed`() async throws {
        let server = try await FirstPartyApp.server()
        let app = try await FirstPartyApp(server)
        let (session, other) = (try await app.session(), try await app.session())
        let (head, secret) = (String(session.prefix(26)), String(session.dropFirst(26)))
        let faults = [
            String(session.dropLast()), session + "A", session.replacing("kbf_", with: "kbc_"), session + "=",
            String(session.dropLast()) + "+", head + String(other.dropFirst(26)), String(other.prefix(26)) + secret,
            head + String(repeating: "A", count: 42), "kbf_" + String(repeating: "A", count: 64), "none",
            String(repeating: "A", count: 10_000),
        ]
        for fault in faults where fault != session { expectSessionRejected(try await app.answer(fault)) }
        expect(try await app.answer(""), isError: "invalid_request")
        try await app.expectGoesOn(session)
        try await app.expectGoesOn(other)
    }

    @Test func `attack 213, auth_session_as_cookie, cookie_as_auth_session`() async throws {
        let server = try await FirstPartyApp.server()
        let app = try await FirstPartyApp(server)
        let attempt = app.client.attempt()
        let response = try await app.finish(attempt)
        let finished = try response.string("auth_session")
        let browser = FakeBrowser(server)
        browser.cookies = [ServerUnderTest.cookieName: finished]
        let page = await browser.get(try await app.client.pushedTarget(app.client.attempt()))
        #expect(page.text.contains("password"))

        let signedIn = try await server.signedInBrowser()
        let pushed = try await app.client.push(app.client.attempt()).string("request_uri")
        for value in [
            try #require(signedIn.cookies[ServerUnderTest.cookieName]), try response.string("authorization_code"),
            pushed, String(pushed.suffix(48)),
        ] {
            expectSessionRejected(try await app.answer(value))
            expectSessionRejected(try await app.begin(nil, ["auth_session": value]))
        }
        let target: FormParameters = [
            "client_id": "notes", "request_uri": "urn:ietf:params:oauth:request_uri:\(finished)",
        ]
        expect(await browser.get("/authorize?" + target.encoded()), isErrorPageWith: "invalid_request_uri")
        let redeemed = try await app.client.redeem(finished, attempt)
        expect(redeemed, isError: "invalid_grant")
    }

    @Test func `attack 214, answers_raced_one_winner`() async throws {
        let server = try await FirstPartyApp.server { $0.rateLimits.login = nil }
        let app = try await FirstPartyApp(server)
        let session = try await app.session()
        let answers = try await race(3) { _ in try await app.answer(session) }
        #expect(answers.count { $0.status == 200 } == 1)
        for answer in answers where answer.status != 200 { expectSessionRejected(answer) }
        #expect(try await server.storage.grants(of: "subject-of-ada").count == 1)

        let guessed = try await app.session()
        let guesses = try await race(4) { index in
            try await app.answer(guessed, as: "bob", password: index == 0 ? FirstPartyApp.password : "wrong \(index)")
        }
        #expect(guesses.count { $0.error != "invalid_session" } == 1)
        #expect(try await server.storage.grants(of: "subject-of-bob").count <= 1)
    }

    @Test func `attack 215, answer_raced_with_redirect`() async throws {
        let server = try await FirstPartyApp.server()
        let app = try await FirstPartyApp(server)
        for _ in 0..<4 {
            let session = try await app.session()
            let answers = try await race(2) { index in
                try await index == 0
                    ? app.answer(session) : app.post(["auth_session": session, "step": "redirect_to_web"])
            }
            #expect(answers.count { $0.status == 200 || $0.error == "redirect_to_web" } == 1)
            #expect(answers.count { $0.error == "invalid_session" } == 1)
        }
    }

    @Test(arguments: ["removeUser", "setPassword", "removeClient"])
    func `attack 215, a right answer raced with the end of its account or client`(ending: String) async throws {
        let server = try await FirstPartyApp.server()
        let app = try await FirstPartyApp(server)
        let attempt = app.client.attempt()
        let session = try await app.session(attempt)
        let storage = server.storage
        let answers = try await race(2) { index in
            guard index == 1 else { return try await app.answer(session) }
            switch ending {
            case "removeUser": _ = try await storage.removeUser("subject-of-ada", at: server.clock.now())
            case "setPassword":
                let hash = PasswordHash(stored: "$none$x")
                _ = try await storage.setPassword(hash, of: "subject-of-ada")
            default: _ = try await storage.removeClient("notes", at: server.clock.now())
            }
            return HTTPResponse(status: 204)
        }
        let answer = try #require(answers.first { $0.status != 204 })
        if let code = answer.json["authorization_code"]?.stringValue, ending != "setPassword" {
            // It came first, and then all that it gave ended.
            #expect(try await app.client.redeem(code, attempt).status == 400)
        }
        if let value = answer.json["auth_session"]?.stringValue {
            #expect(try await app.begin(nil, ["auth_session": value, "prompt": "none"]).status == 400)
        }
    }

    @Test func `attack 216, step_skipped`() async throws {
        let hashes = Counter()
        let server = try await FirstPartyApp.server(hashes: hashes)
        let app = try await FirstPartyApp(server)
        let session = try await app.session()
        _ = hashes.take()
        for step in ["totp", "recovery_code", "passkey", "redirect_to_web2", "PASSWORD", ""] {
            let answer: FormParameters = ["auth_session": session, "step": step, "code": "123456"]
            expect(try await app.post(answer), isError: "invalid_request")
            expect(try await app.post(answer.with("code", nil)), isError: "invalid_request")
        }
        let answer = FirstPartyApp.answer(session)
        expect(try await app.post(answer.with("step", nil)), isError: "invalid_request")
        expect(try await app.post(answer.adding("step", "redirect_to_web")), isError: "invalid_request")
        #expect(hashes.take() == 0)
        try await app.expectGoesOn(session)
    }

    @Test func `attack 216, a step that exists and was not offered`() async throws {
        let server = try await FirstPartyApp.server()
        let app = try await FirstPartyApp(server)
        let known = try #require(AuthSession(try await app.session())?.sessionID)
        let now = server.clock.now()
        let reads = try await server.storage.reads(ofFirstPartySession: known, for: nil, userNamed: nil, at: now)
        var session = try #require(reads.session)
        session.id = Grant.newID(in: 0, at: now, server.entropy)
        let value = try #require(AuthSession.make(for: session.id, server.entropy))
        session.valueHash = SecretHash(of: value)
        session.offered = [.redirectToWeb]
        _ = try await server.storage.add(session, recording: Recording(WriteAttempt(id: 9)), at: now)
        expect(try await app.answer(value), isError: "invalid_request")
        let left = try await app.post(["auth_session": value, "step": "redirect_to_web"])
        expect(left, isError: "redirect_to_web", status: 403)
    }

    @Test func `attack 217, session_swapped_between_accounts`() async throws {
        let server = try await FirstPartyApp.server()
        let app = try await FirstPartyApp(server)
        let session = try await app.session(nil, ["login_hint": "bob"])
        expect(
            try await app.post(FirstPartyApp.answer(session).adding("username", "bob")),
            isError: "invalid_request"
        )
        let next = try expectAskedAgain(try await app.answer(session, as: "bob", password: "wrong"))
        #expect(try await app.answer(next, as: "ada").status == 200)
        #expect(try await server.storage.grants(of: "subject-of-bob").isEmpty)
        #expect(try await server.storage.grants(of: "subject-of-ada").count == 1)
    }

    @Test func `attack 217, another user than the id_token_hint names`() async throws {
        let server = try await FirstPartyApp.server { $0.scopes.append(ScopeDescription(name: "openid")) }
        let app = try await FirstPartyApp(server)
        var stored = try #require(try await server.storage.client("notes"))
        stored.scope = try Scope(parsing: "api:read openid")
        #expect(try await server.storage.replace(stored, by: WriteAttempt(id: 7)))
        var attempt = app.client.attempt()
        attempt.parameters = attempt.parameters.with("scope", "openid")
        let code = try await app.finish(attempt).string("authorization_code")
        let hint = try await app.client.redeem(code, attempt).string("id_token")
        let session = try await app.session(nil, ["id_token_hint": hint])
        expect(try await app.answer(session, as: "bob"), isError: "login_required")
        expectSessionRejected(try await app.answer(session, as: "ada"))
        let right = try await app.session(nil, ["id_token_hint": hint])
        try await app.expectGoesOn(right)
    }

    @Test func `attack 218, code_asked_for_twice`() async throws {
        let server = try await FirstPartyApp.server()
        let app = try await FirstPartyApp(server)
        let attempt = app.client.attempt()
        let session = try await app.session(attempt)
        let response = try await app.answer(session)
        let finished = try response.string("auth_session")
        expectSessionRejected(try await app.answer(session))
        expectSessionRejected(try await app.answer(finished))
        expectSessionRejected(try await app.post(["auth_session": finished, "step": "redirect_to_web"]))
        let second = try await app.begin(nil, ["auth_session": finished])
        #expect(second.status == 200, "\(second.text)")
        expectSessionRejected(try await app.begin(nil, ["auth_session": finished]))

        let other = app.client.attempt()
        let stolen = try await app.finish(other)
        let code = try stolen.string("authorization_code")
        #expect(try await app.client.redeem(code, other).status == 200)
        expect(try await app.client.redeem(code, other), isError: "invalid_grant")
        expectSessionRejected(try await app.begin(nil, ["auth_session": try stolen.string("auth_session")]))
    }

    /// Sends requests at the same time; the nonce is known before.
    private func race(
        _ count: Int,
        _ send: @escaping @Sendable (Int) async throws -> HTTPResponse
    ) async throws -> [HTTPResponse] {
        try await withThrowingTaskGroup(of: HTTPResponse.self) { group in
            for index in 0..<count { group.addTask { @concurrent in try await send(index) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }
}
