// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import JOSE
import ServerStage
import TestSupport
import Testing

@Suite("Too much from one address, RFC 6585 section 4", .overSocketsOnEveryStore)
struct FloodAttackTests {
    private let limits = RateLimits(
        login: RateLimit(4, per: .seconds(60)),
        token: RateLimit(5, per: .seconds(60)),
        authorizationRequest: RateLimit(8, per: .seconds(60))
    )

    private func server(audit: (any AuditSink)? = nil) async throws -> ServerUnderTest {
        try await .inMemory(audit: audit) { $0.rateLimits = limits }
    }

    private func expectLimited(_ response: HTTPResponse, after seconds: String) {
        expect(response, isError: "temporarily_unavailable", status: 429)
        #expect(response.fields["Retry-After"] == seconds)
    }

    @Test func `attack 128, one address guesses at many accounts`() async throws {
        let server = try await server()
        let attacker = FakeBrowser(server.seen(from: "203.0.113.9"))
        let page = await attacker.get(try await FakeClient(server).pushedTarget(FakeClient(server).attempt()))
        for number in 0..<4 {
            #expect(try await attacker.logIn(on: page, as: "name\(number)", password: "wrong").status == 403)
        }
        let answer = try await attacker.logIn(on: page)
        #expect(answer.status == 429)
        #expect(answer.fields["Retry-After"] == "15")
        #expect(answer.text.contains("Sign in"))
        // Another address is not affected, and the attacker's may continue later.
        let victim = FakeBrowser(server.seen(from: "198.51.100.7"))
        let own = await victim.get(try await FakeClient(server).pushedTarget(FakeClient(server).attempt()))
        #expect(try await victim.logIn(on: own).status == 303)
        server.clock.advance(by: .seconds(15))
        // The request is now bound to the victim's browser.
        let next = await attacker.get(try await FakeClient(server).pushedTarget(FakeClient(server).attempt()))
        #expect(try await attacker.logIn(on: next, as: "name0", password: "wrong").status == 403)
        #expect(try await attacker.logIn(on: next, as: "name0", password: "wrong").status == 429)
    }

    @Test func `people behind one address sign in, however many they are`() async throws {
        let server = try await server()
        let office = server.seen(from: "198.51.100.7")
        let client = try FakeClient(server)
        for _ in 0..<6 {
            let browser = FakeBrowser(office)
            let page = await browser.get(try await client.pushedTarget(client.attempt()))
            #expect(try await browser.logIn(on: page).status == 303)
            server.clock.advance(by: .seconds(15))
        }
    }

    @Test func `refused token requests are limited, others are not`() async throws {
        let server = try await server()
        let client = FakeClient(server.seen(from: "198.51.100.7"), key: try TestKey.p256(2))
        let tokens = try await client.signIn()
        var refreshToken = try tokens.string("refresh_token")
        for _ in 0..<20 {
            client.nonce = nil
            refreshToken = try await client.refresh(refreshToken).string("refresh_token")
            server.clock.advance(by: .seconds(10))
        }
        for _ in 0..<5 { expect(try await client.refresh("kbr_guess"), isError: "invalid_grant") }
        expectLimited(try await client.refresh("kbr_guess"), after: "12")
        // The correct token is rejected too, so that the limit reveals nothing. It is not consumed.
        expectLimited(try await client.refresh(refreshToken), after: "12")
        let elsewhere = FakeClient(server.seen(from: "203.0.113.9"), key: try TestKey.p256(2))
        #expect(try await elsewhere.refresh(refreshToken).status == 200)
    }

    @Test func `authorization requests are limited, pushed or not`() async throws {
        let server = try await server()
        let client = FakeClient(server.seen(from: "2001:db8:1:1::1"), key: nil)
        for number in 0..<8 {
            let neighbour = server.seen(from: "2001:db8:1:1::\(number)")
            if number % 2 == 0 {
                #expect(await neighbour.post("/par", client.attempt().parameters).status == 201)
            } else {
                #expect(await neighbour.get(client.directTarget(client.attempt())).status == 200)
            }
        }
        expectLimited(await client.server.post("/par", client.attempt().parameters), after: "8")
        let page = await client.server.get(client.directTarget(client.attempt()))
        expect(page, isErrorPageWith: "temporarily_unavailable", status: 429)
        #expect(page.fields["Retry-After"] == "8")
        #expect(await server.seen(from: "2001:db8:1:2::1").post("/par", client.attempt().parameters).status == 201)
    }

    @Test func `behind a proxy the clients are told apart, and none can say that it is another`() async throws {
        let proxy = try await server().seen(from: "127.0.0.1")
        let client = try FakeClient(proxy)
        func push(_ forwarded: String?) async -> Int {
            let fields: HTTPFields = forwarded.map { ["X-Forwarded-For": $0] } ?? [:]
            return await proxy.post("/par", client.attempt().parameters, fields: fields).status
        }
        for number in 0..<8 { #expect(await push("10.9.9.\(number), 203.0.113.9") == 201) }
        #expect(await push("198.51.100.1, 203.0.113.9") == 429)
        #expect(await push("198.51.100.1") == 201)
        // The proxy itself does not forward an address here, and limiting it would limit every client.
        for _ in 0..<20 { #expect(await push(nil) == 201) }
    }

    @Test func `a quotation mark of the client turns no limit off behind a proxy`() async throws {
        let proxy = try await server().seen(from: "127.0.0.1")
        let client = try FakeClient(proxy)
        func push(_ forwarded: String) async -> Int {
            await proxy.post("/par", client.attempt().parameters, fields: ["X-Forwarded-For": forwarded]).status
        }
        // As a proxy forwards it that appends the address of its client to what the client sent.
        for _ in 0..<8 { #expect(await push("\", 203.0.113.9") == 201) }
        #expect(await push("\", 203.0.113.9") == 429)
        #expect(await push("\", 198.51.100.1") == 201)
        // A proxy that names no address: all its clients share one limit.
        for _ in 0..<8 { #expect(await push("unknown") == 201) }
        #expect(await push("unknown") == 429)
        #expect(await push("198.51.100.1") == 201)
    }

    @Test func `who reaches the server directly cannot make up an address`() async throws {
        let stranger = try await server().seen(from: "203.0.113.9")
        let client = try FakeClient(stranger)
        var answers: [Int] = []
        for number in 0..<10 {
            let fields: HTTPFields = [
                "X-Forwarded-For": "198.51.100.\(number)", "Forwarded": "for=198.51.100.\(number)",
            ]
            answers.append(await stranger.post("/par", client.attempt().parameters, fields: fields).status)
        }
        #expect(answers == Array(repeating: 201, count: 8) + [429, 429])
    }
}
