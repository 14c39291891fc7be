// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import OAuthSystem
import ServerStage
import ServerStorage
import TestSupport
import Testing

@Suite("Proofs of pushed requests: nobody fills the memory of all, RFC 9449 section 11.1", .overSocketsOnEveryStore)
struct PushedProofShareTests {
    private static func server() async throws -> ServerUnderTest {
        try await ServerUnderTest.inMemory {
            $0.rateLimits.pushedProofsOfClient = RateLimit(30, per: .seconds(400))
            $0.rateLimits.pushedProofsOfAddress = RateLimit(20, per: .seconds(400))
        }
    }

    /// Pushes with a key of its own.
    private static func push(
        _ server: ServerUnderTest,
        key: UInt8,
        as make: (ServerUnderTest) throws -> FakeClient = FakeClient.init
    ) async throws -> HTTPResponse {
        let client = try make(server).with(key: TestKey.p256(key))
        return try await client.push(client.attempt())
    }

    @Test func `a client that floods with many keys from many addresses is asked to wait, and another is recorded`()
        async throws
    {
        let server = try await Self.server()
        var statuses: [Int] = []
        for number in 0..<40 {
            let attacker = server.seen(from: "203.0.113.\(number)")
            statuses.append(try await Self.push(attacker, key: UInt8(10 + number % 20)).status)
        }
        #expect(statuses == Array(repeating: 201, count: 30) + Array(repeating: 429, count: 10))
        let late = try await Self.push(server.seen(from: "203.0.113.99"), key: 9)
        expect(late, isError: "temporarily_unavailable", status: 429)
        #expect(late.fields["Retry-After"] != nil)
        // Without a proof the same client is served: nothing has to be remembered.
        let unproven = try FakeClient(server.seen(from: "203.0.113.99"))
        let (bound, direct) = (unproven.attempt(), unproven.attempt())
        let pushed = await unproven.server.post("/par", bound.parameters.adding("dpop_jkt", unproven.thumbprint))
        #expect(pushed.status == 201, "\(pushed.text)")
        #expect(await unproven.server.get(unproven.directTarget(direct)).status == 200)
        // The other client is served, and its proof works once.
        let other = try FakeClient.other(server.seen(from: "198.51.100.7"))
        try await other.fetchNonce()
        let proof = try #require(try await other.proof(for: "/par"))
        let (first, second) = (
            await other.server.post("/par", other.attempt().parameters, fields: ["DPoP": proof]),
            await other.server.post("/par", other.attempt().parameters, fields: ["DPoP": proof])
        )
        #expect(first.status == 201, "\(first.text)")
        expect(second, isError: "invalid_dpop_proof")
        // The share is free again later.
        server.clock.advance(by: .seconds(400))
        #expect(try await Self.push(server.seen(from: "203.0.113.99"), key: 9).status == 201)
    }

    @Test func `an address that floods in the names of clients waits, and others do not`() async throws {
        let server = try await Self.server()
        let attacker = server.seen(from: "203.0.113.1")
        for number in 0..<10 {
            #expect(try await Self.push(attacker, key: UInt8(10 + number)).status == 201)
            #expect(try await Self.push(attacker, key: UInt8(10 + number), as: FakeClient.other).status == 201)
        }
        expect(try await Self.push(attacker, key: 40), isError: "temporarily_unavailable", status: 429)
        #expect(try await Self.push(server.seen(from: "203.0.113.2"), key: 41).status == 201)
    }

    @Test func `polls of devices that nobody has allowed have shares too; without one a device slows down`()
        async throws
    {
        let server = try await FakeDevice.server {
            // A device that is told to slow down has guessed nothing.
            $0.rateLimits.token = RateLimit(3, per: .seconds(600))
            $0.rateLimits.publicClientToken = RateLimit(3, per: .seconds(600))
            $0.rateLimits.pushedProofsOfClient = RateLimit(30, per: .seconds(400))
            $0.rateLimits.pushedProofsOfAddress = RateLimit(20, per: .seconds(400))
        }
        let attacker = server.seen(from: "203.0.113.1")
        for number in 0..<24 {
            // The codes take no share: their request has no proof.
            let device = try await FakeDevice.start(attacker)
            let client = try FakeDevice.client(attacker, key: UInt8(10 + number))
            let answer = try await client.post("/token", device.question(of: client))
            expect(answer, isError: number < 20 ? "authorization_pending" : "slow_down")
        }
        // These shares are not those of pushed requests and of requests for codes.
        #expect(try await Self.push(attacker, key: 40).status == 201)
        _ = try await FakeDevice.start(attacker, isBound: true)
        let elsewhere = try await FakeDevice.start(server.seen(from: "198.51.100.7"))
        expect(try await elsewhere.poll(), isError: "authorization_pending")
        // A device that its user has allowed gets tokens: its proof takes no share.
        let late = try await FakeDevice.start(attacker)
        expect(try await late.poll(), isError: "slow_down")
        try await late.decide("allow")
        #expect(try await late.poll().status == 200)
    }

    @Test func `polls beyond a share count as rejected requests once an address sends more than devices would`()
        async throws
    {
        let server = try await FakeDevice.server {
            $0.rateLimits.token = RateLimit(3, per: .seconds(600))
            $0.rateLimits.pushedProofsOfAddress = RateLimit(1, per: .seconds(400))
            $0.rateLimits.waitingPollsOfAddress = RateLimit(4, per: .seconds(600))
        }
        let device = try await FakeDevice.start(server.seen(from: "203.0.113.1"))
        expect(try await device.poll(), isError: "authorization_pending")
        // Four count nowhere, three as rejected.
        for _ in 0..<7 { expect(try await device.poll(), isError: "slow_down") }
        expect(try await device.poll(), isError: "temporarily_unavailable", status: 429)
        let elsewhere = try await FakeDevice.start(server.seen(from: "198.51.100.7"))
        expect(try await elsewhere.poll(), isError: "authorization_pending")
    }

    @Test func `pushed requests that use up their share make no device slow down`() async throws {
        let server = try await FakeDevice.server {
            $0.rateLimits.pushedProofsOfAddress = RateLimit(5, per: .seconds(400))
        }
        let attacker = server.seen(from: "203.0.113.1")
        for number in 0..<5 { #expect(try await Self.push(attacker, key: UInt8(10 + number)).status == 201) }
        #expect(try await Self.push(attacker, key: 40).status == 429)
        let device = try await FakeDevice.start(attacker)
        expect(try await device.poll(), isError: "authorization_pending")
    }

    @Test func `all proofs of a client take at most half of the memory, and those of an address a twentieth`() throws {
        let limits = RateLimits.standard
        let ofClient = try #require(limits.pushedProofsOfClient)
        let ofAddress = try #require(limits.pushedProofsOfAddress)
        // Two kinds of proofs, each with its count at once and again in the time for which they are remembered.
        #expect(4 * ofClient.count == SingleUseCapacity.pushed / 2)
        #expect(4 * ofAddress.count == SingleUseCapacity.pushed / 20)
    }
}
