// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import OAuthTransport
import TestSupport
import Testing

@testable import OAuthClient

@Suite("Trap 45: the time of the server")
struct ClockTests {
    private let base = FixedClock(secondsSince1970: 784_111_777)

    @Test func `reads the date of RFC 9110 section 5 6 7`() {
        #expect(HTTPDate("Sun, 06 Nov 1994 08:49:37 GMT")?.time == Timestamp(secondsSince1970: 784_111_777))
        #expect(HTTPDate("Thu, 29 Feb 2024 23:59:59 GMT")?.time == Timestamp(secondsSince1970: 1_709_251_199))
        #expect(HTTPDate("Thu, 01 Jan 1970 00:00:00 GMT")?.time == Timestamp(secondsSince1970: 0))
    }

    @Test(arguments: [
        "", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Sun, 06 Nov 1994 08:49:37 UTC",
        "Sun, 06 Now 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 6x Nov 1994 08:49:37 GMT",
        "Sün, 06 Nov 1994 08:49:37 GMT",
    ])
    func `refuses every other form`(_ text: String) {
        #expect(HTTPDate(text) == nil)
    }

    @Test func `small differences mean nothing`() {
        let clock = ServerAdjustedClock(base)
        #expect(!clock.learn(date: "Sun, 06 Nov 1994 08:49:41 GMT", sent: base.now(), used: clock.offset))
        #expect(clock.now() == base.now())
    }

    @Test func `a clock that is off is set, and set back`() {
        let clock = ServerAdjustedClock(base)
        #expect(clock.learn(date: "Sun, 06 Nov 1994 08:59:37 GMT", sent: base.now(), used: clock.offset))
        #expect(clock.now() - base.now() == .milliseconds(600_500))
        #expect(!clock.learn(date: "Sun, 06 Nov 1994 08:59:39 GMT", sent: base.now(), used: clock.offset))
        #expect(clock.learn(date: "Sun, 06 Nov 1994 08:49:37 GMT", sent: base.now(), used: clock.offset))
        #expect(clock.now() == base.now())
    }

    @Test func `a day is the most that is believed`() {
        let clock = ServerAdjustedClock(base)
        #expect(!clock.learn(date: "Mon, 07 Nov 1994 08:49:38 GMT", sent: base.now(), used: clock.offset))
        #expect(clock.learn(date: "Mon, 07 Nov 1994 08:49:36 GMT", sent: base.now(), used: clock.offset))
    }

    @Test func `a difference of more than a day has an error of its own, which says what to do`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        // Three days and an hour ahead of the fixed clock, whose proofs are too old.
        await fixture.server.change {
            $0.date = "Thu, 24 Sep 2026 15:13:20 GMT"
            $0.time = HTTPDate("Thu, 24 Sep 2026 15:13:20 GMT")?.time
        }
        let error = await clientError { try await session.tokenManager.refresh() }
        #expect(error?.code == .clockWrong)
        #expect(error?.reason.contains("3 days behind") == true)
        #expect(error?.recovery == .checkClock)
        // The session goes on when the clock is right.
        await fixture.server.change { ($0.date, $0.time) = (nil, nil) }
        fixture.pass(.seconds(3600))
        try await session.tokenManager.refresh()
    }

    @Test func `the next process need not learn the difference again`() async throws {
        let fixture = try SignInFixture()
        let ahead = fixture.clock.now() + .seconds(600)
        await fixture.server.change {
            $0.date = "Mon, 21 Sep 2026 14:23:20 GMT"
            $0.time = ahead
        }
        _ = try await fixture.session()
        let stored = try #require(await fixture.tokenStore.tokens(of: fixture.client.account))
        let read = try TokenSet(parsing: stored.json)
        #expect(read.record.clock?.offset == .seconds(600))

        func later(_ age: Duration) throws -> SignInFixture {
            let next = try SignInFixture(
                tokenStore: fixture.tokenStore,
                keyStore: fixture.keyStore,
                server: fixture.server,
                seed: 2
            )
            next.clock.advance(by: age)
            return next
        }
        let next = try later(.zero)
        #expect(try await next.client.restoreSession() != nil)
        #expect(next.client.server.clock.now() - next.clock.now() == .milliseconds(600_500))
        // A day later the device's clock may have been set.
        let old = try later(.seconds(86_401))
        #expect(try await old.client.restoreSession() != nil)
        #expect(old.client.server.clock.now() == old.clock.now())
    }

    @Test func `what this process has learned counts more than what was stored`() {
        let clock = ServerAdjustedClock(base)
        #expect(clock.learn(date: "Sun, 06 Nov 1994 08:59:37 GMT", sent: base.now(), used: clock.offset))
        clock.adopt(ClockDifference(offset: .seconds(-600), learnedAt: base.now()))
        #expect(clock.now() - base.now() == .milliseconds(600_500))
        let other = ServerAdjustedClock(base)
        other.adopt(ClockDifference(offset: .seconds(90_000), learnedAt: base.now()))
        other.adopt(ClockDifference(offset: .seconds(600), learnedAt: base.now() + .seconds(1)))
        #expect(other.now() == base.now())
    }

    @Test func `a slow exchange says nothing`() {
        let clock = ServerAdjustedClock(base)
        #expect(
            !clock.learn(date: "Sun, 06 Nov 1994 08:59:37 GMT", sent: base.now() - .seconds(10), used: clock.offset)
        )
        #expect(!clock.learn(date: "Sun, 06 Nov 1994 08:59:37 GMT", sent: base.now() + .seconds(1), used: clock.offset))
        #expect(!clock.learn(date: nil, sent: base.now(), used: clock.offset))
    }

    @Test func `trap 47: an API whose clock is another one gets proofs with its own time, and nobody else does`()
        async throws
    {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        // Ten minutes ahead of the fixed clock.
        let ahead = fixture.clock.now() + .seconds(600)
        await fixture.server.change {
            $0.apiTime = ahead
            $0.apiDate = "Mon, 21 Sep 2026 14:23:20 GMT"
        }
        #expect(HTTPDate("Mon, 21 Sep 2026 14:23:20 GMT")?.time == ahead)
        #expect(try await fixture.get(session).status == 200)
        #expect(await fixture.server.requests(to: "/api/items").count == 2)
        // The correction is known now.
        #expect(try await fixture.get(session).status == 200)
        #expect(await fixture.server.requests(to: "/api/items").count == 3)
        try await session.tokenManager.refresh()
        #expect(await fixture.server.proofs.last?.issuedAt == fixture.clock.now().secondsSince1970)
        #expect(await fixture.server.violations == [])
    }

    @Test func `trap 47: of calls that were sent before the clock was corrected, each is repeated`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        let ahead = fixture.clock.now() + .seconds(600)
        await fixture.server.change {
            $0.apiTime = ahead
            $0.apiDate = "Mon, 21 Sep 2026 14:23:20 GMT"
        }
        let request = HTTPRequest(target: FakeServer.api)
        let call = try ProtectedCall(request, body: .inMemory, timeout: nil, fixture.client.urlPolicy)
        let exchange = session.protectedExchange
        var states = [try await exchange.begin(), try await exchange.begin()]
        let signed = [try await exchange.sign(call, states[0].tokens), try await exchange.sign(call, states[1].tokens)]
        for (index, sent) in signed.enumerated() {
            let answer = try await fixture.server.send(sent.request, maximumBodySize: 1 << 20)
            let isRepeated = try await exchange.isWorthRepeating(
                sent,
                ProofResult(answer),
                answer.fields,
                &states[index]
            )
            #expect(isRepeated, "call \(index)")
        }
    }

    @Test func `trap 47: a refusal that has nothing to do with the time is returned at once`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        await fixture.server.change {
            $0.apiTime = Timestamp(secondsSince1970: 0)
            $0.apiDate = "Mon, 21 Sep 2026 14:13:20 GMT"
        }
        #expect(try await fixture.get(session).status == 401)
        #expect(await fixture.server.requests(to: "/api/items").count == 1)
    }

    @Test func `an API is believed for its own origin, and no more of them are kept than a client needs`() {
        let clocks = ResourceClocks(ServerAdjustedClock(base))
        let date = "Sun, 06 Nov 1994 08:59:37 GMT"
        for number in 0..<200 {
            #expect(clocks.learn(date: date, sent: base.now(), used: .zero, origin: "https://s\(number).example"))
        }
        #expect(clocks.time(at: "https://s199.example") == base.now() + .milliseconds(600_500))
        #expect(clocks.time(at: "https://other.example") == nil)
        #expect(clocks.time(at: "https://s0.example") == nil)
        let known = clocks.offset(at: "https://s199.example")
        #expect(!clocks.learn(date: date, sent: base.now(), used: known, origin: "https://s199.example"))
        // A proof that was made before another response corrected the clock.
        #expect(clocks.learn(date: date, sent: base.now(), used: .zero, origin: "https://s199.example"))
    }
}
