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
    "Attacks on sign-in without a browser: names and limits, OAuth 2.0 for First-Party Applications section 9.3",
    .overSocketsOnEveryStore
)
struct FirstPartyNameAttackTests {
    @Test func `attack 221, names_by_text_and_status`() async throws {
        let server = try await FirstPartyApp.server()
        _ = try await server.storage.removeUser("subject-of-bob", at: server.clock.now())
        let app = try await FirstPartyApp(server)
        var seen: Set<String> = []
        for name in ["ada", "ADA", "nobody", "bob", "a\u{308}da"] {
            let response = try await app.answer(try await app.session(), as: name, password: "wrong")
            var body = response.json
            body["auth_session"] = nil
            let fields = response.fields.all.map { "\($0.name): \($0.name == "Date" ? "" : $0.value)" }
            let text = String(decoding: JSONValue.object(body).encoded(), as: UTF8.self)
            seen.insert("\(response.status) \(fields) \(text) \(response.body.count)")
        }
        #expect(seen.count == 1, "\(seen)")
        for name in ["ada", "nobody"] {
            let empty = try await app.answer(try await app.session(), as: name, password: "")
            expect(empty, isError: "invalid_request")
            seen.insert(empty.text)
        }
        #expect(seen.count == 2)
    }

    @Test func `attack 222, names_by_timing`() async throws {
        let hashes = Counter()
        let counted = CountedStorage(try await ServerStage.storage())
        let server = try await FirstPartyApp.server(storage: counted, hashes: hashes)
        let app = try await FirstPartyApp(server)
        // A device that signed in before and one that did not, names that exist and names that do not.
        _ = try await app.signIn()
        var seen: Set<[String]> = []
        for name in ["ada", "bob", "nobody", "x", String(repeating: "n", count: 200)] {
            let session = try await app.session()
            (_, _) = (counted.takeCalls(), hashes.take())
            try expectAskedAgain(try await app.answer(session, as: name, password: "wrong"))
            seen.insert(counted.takeCalls())
            #expect(hashes.take() == 1, "\(name)")
        }
        #expect(seen.count == 1, "\(seen)")
        #expect(seen.first?.count == 3, "one read, one count and one write: \(seen)")
    }

    @Test func `attack 223, factors_before_password`() async throws {
        let server = try await FirstPartyApp.server()
        let app = try await FirstPartyApp(server)
        var seen: Set<String> = []
        for name in ["ada", "bob", "nobody"] {
            var body = try await app.begin(nil, ["login_hint": "someone"]).json
            seen.insert(steps(body))
            let value = body["auth_session"]?.stringValue ?? ""
            body = try await app.answer(value, as: name, password: "wrong").json
            seen.insert(steps(body))
            #expect(try await app.begin(nil, ["login_hint": name]).json["steps"]?.arrayValue?.count == 2)
        }
        #expect(seen.count == 1, "\(seen)")
    }

    private func steps(_ body: JSONObject) -> String {
        String(decoding: (body["steps"] ?? .null).encoded(), as: UTF8.self)
    }

    @Test func `attack 224, names_by_limits`() async throws {
        for name in ["ada", "nobody"] {
            let server = try await FirstPartyApp.server()
            let app = try await FirstPartyApp(server)
            var value = try await app.session()
            for _ in 0..<4 { value = try expectAskedAgain(try await app.answer(value, as: name, password: "wrong")) }
            expect(try await app.answer(value, as: name, password: "wrong"), isError: "access_denied")
            expectSessionRejected(try await app.answer(value, as: name))
            var statuses: [Int] = []
            for _ in 0..<7 {
                let response = try await app.answer(try await app.session(), as: name, password: "wrong")
                statuses.append(response.status)
                if response.status == 429 { #expect(response.fields["Retry-After"] == "60") }
            }
            #expect(statuses == [403, 403, 403, 403, 403, 429, 429], "\(name)")
        }
    }

    @Test func `attack 225, limits_bypassed_by_mixing`() async throws {
        let server = try await FirstPartyApp.server()
        let app = try await FirstPartyApp(server.seen(from: "192.0.2.1"))
        let browser = FakeBrowser(server.seen(from: "192.0.2.2"))
        let page = await browser.get(try await app.client.pushedTarget(app.client.attempt()))
        for _ in 0..<5 {
            #expect(try await browser.logIn(on: page, password: "wrong").status == 403)
            try expectAskedAgain(try await app.answer(try await app.session(), password: "wrong"))
        }
        let session = try await app.session()
        let limited = try await app.answer(session)
        expect(limited, isError: "temporarily_unavailable", status: 429)
        #expect(limited.fields["Retry-After"] == "60")
        #expect(try await browser.logIn(on: page, password: FirstPartyApp.password).status == 429)
        server.clock.advance(by: .seconds(60))
        // The answer that had to wait used nothing up.
        try await app.expectGoesOn(session)
    }

    @Test func `attack 226, limits_reset_by_new_session`() async throws {
        let server = try await FirstPartyApp.server()
        let clients = ["notes", "shop"]
        for guess in 0..<10 {
            let app = try await FirstPartyApp(server, clients[guess % 2], key: UInt8(30 + guess))
            try expectAskedAgain(try await app.answer(try await app.session(), as: "bob", password: "wrong"))
            // A success as one's own account gives nothing back for another.
            try await app.expectGoesOn(try await app.session())
        }
        let app = try await FirstPartyApp(server, key: 50)
        let limited = try await app.answer(try await app.session(), as: "bob")
        expect(limited, isError: "temporarily_unavailable", status: 429)
    }

    @Test func `attack 227, owner_locked_out`() async throws {
        let server = try await FirstPartyApp.server()
        let (owner, thief) = (try await FirstPartyApp(server), try await FirstPartyApp(server, key: 4))
        _ = try await owner.signIn()
        let open = try await owner.session()
        for guess in 0..<12 {
            let response = try await thief.answer(try await thief.session(), password: "wrong")
            #expect(response.status == (guess < 10 ? 403 : 429))
        }
        try await owner.expectGoesOn(open)
        try await owner.expectGoesOn(try await owner.session())
        let stranger = try await FirstPartyApp(server, key: 5)
        let limited = try await stranger.answer(try await stranger.session())
        expect(limited, isError: "temporarily_unavailable", status: 429)
    }

    @Test func `attack 228, sessions_flooded`() async throws {
        let server = try await FirstPartyApp.server { $0.firstParty.allowsUnattestedClients = true }
        let (app, other) = (try await FirstPartyApp(server), try await FirstPartyApp(server, key: 4))
        for _ in 0..<20 { _ = try await app.session() }
        let limited = try await app.begin()
        expect(limited, isError: "temporarily_unavailable", status: 429)
        #expect(limited.fields["Retry-After"] != nil)
        // Another installation of the app is not concerned, and neither is the page.
        _ = try await other.finish()
        let browser = FakeBrowser(server)
        let page = await browser.get(try await other.client.pushedTarget(other.client.attempt()))
        #expect(try await browser.logIn(on: page, password: FirstPartyApp.password).status == 303)
        server.clock.advance(by: .seconds(300))
        let later = try await FirstPartyApp(server)
        _ = try await later.finish()
        #expect(try await server.storage.deleteExpired(at: server.clock.now(), limit: 1000) >= 20)
    }

    @Test func `attack 228, an address opens at most a hundred sign-ins, and what is finished is not counted`()
        async throws
    {
        let server = try await FirstPartyApp.server { $0.firstParty.allowsUnattestedClients = true }
        let key = try TestKey.p256(2)
        let (flood, calm) = (server.seen(from: "192.0.2.1"), server.seen(from: "192.0.2.2"))
        let app = FirstPartyApp(FakeClient(flood, clientID: "open", key: key))
        for _ in 0..<3 { _ = try await app.finish() }
        for _ in 0..<100 { _ = try await app.session() }
        expect(try await app.begin(), isError: "temporarily_unavailable", status: 429)
        _ = try await FirstPartyApp(FakeClient(calm, clientID: "open", key: key)).finish()
    }

    @Test func `attack 228, an app that is attested sends at most twenty wrong answers in ten minutes`() async throws {
        let server = try await FirstPartyApp.server()
        let app = try await FirstPartyApp(server)
        for guess in 0..<20 {
            try expectAskedAgain(try await app.answer(try await app.session(), as: "name\(guess)", password: "wrong"))
            server.clock.advance(by: .seconds(15))
        }
        var last = HTTPResponse(status: 0)
        // Ten of them are allowed again by now.
        for guess in 0..<11 {
            last = try await app.answer(try await app.session(), as: "other\(guess)", password: "wrong")
        }
        expect(last, isError: "temporarily_unavailable", status: 429)
        let other = try await FirstPartyApp(server, key: 4)
        _ = try await other.finish()
    }
}
