// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
import StrictJSON
import TestSupport
import Testing

@testable import KeyboundCommand

@Suite("Challenges of an attester")
struct AttestationChallengesTests {
    @Test func `a challenge that waits takes no room, and a used one is remembered as long as it could be used`() throws
    {
        let clock = FixedClock()
        let maker = AttestationChallenges(SeededEntropy())
        // It has the same secret, and was told of no challenge.
        let user = AttestationChallenges(SeededEntropy())
        var old: [String] = []
        for _ in 0..<40 {
            let challenge = maker.make(at: clock.now())
            #expect(challenge.utf8.count == 43)
            clock.advance(by: .seconds(7))
            #expect(user.use(challenge, at: clock.now()) == .accepted)
            old.append(challenge)
            for challenge in old { #expect(user.use(challenge, at: clock.now()) == .refused) }
        }
        // Of another secret, and changed in any place.
        let stranger = AttestationChallenges(SystemEntropy()).make(at: clock.now())
        #expect(user.use(stranger, at: clock.now()) == .refused)
        let bytes = try Base64URL.decode(maker.make(at: clock.now()))
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 1
            #expect(user.use(Base64URL.encode(changed), at: clock.now()) == .refused)
        }
        #expect(user.use(Base64URL.encode(bytes), at: clock.now()) == .accepted)
    }

    @Test func `a new period has room again while the challenges of the one before are remembered`() {
        let clock = FixedClock()
        let challenges = AttestationChallenges(SeededEntropy(), maximum: 3)
        var used: [String] = []
        for _ in 0..<2 {
            // A period starts with its first challenge; the rest is used at its end.
            let first = challenges.make(at: clock.now())
            #expect(challenges.use(first, at: clock.now()) == .accepted)
            clock.advance(by: .seconds(119))
            let rest = (0..<2).map { _ in challenges.make(at: clock.now()) }
            for challenge in rest { #expect(challenges.use(challenge, at: clock.now()) == .accepted) }
            #expect(challenges.use(challenges.make(at: clock.now()), at: clock.now()) == .full)
            used += rest
            clock.advance(by: .seconds(1))
            for challenge in used { #expect(challenges.use(challenge, at: clock.now()) == .refused) }
        }
    }

    @Test func `above the limit new challenges are rejected, and no used one is forgotten`() {
        let clock = FixedClock()
        let challenges = AttestationChallenges(SeededEntropy(), maximum: 3)
        let first = (0..<3).map { _ in challenges.make(at: clock.now()) }
        for challenge in first { #expect(challenges.use(challenge, at: clock.now()) == .accepted) }
        let late = challenges.make(at: clock.now())
        #expect(challenges.use(late, at: clock.now()) == .full)
        for challenge in first { #expect(challenges.use(challenge, at: clock.now()) == .refused) }
        // It was not used up, but is too old when there is room again.
        clock.advance(by: .seconds(120))
        #expect(challenges.use(late, at: clock.now()) == .refused)
        #expect(challenges.use(challenges.make(at: clock.now()), at: clock.now()) == .accepted)
    }

    @Test func `after the clock was set back, no earlier challenge works, and there is room`() {
        let clock = FixedClock()
        let challenges = AttestationChallenges(SeededEntropy(), maximum: 1)
        let (used, unused) = (challenges.make(at: clock.now()), challenges.make(at: clock.now()))
        #expect(challenges.use(used, at: clock.now()) == .accepted)
        clock.advance(by: .seconds(-86_400))
        for challenge in [used, unused] { #expect(challenges.use(challenge, at: clock.now()) == .refused) }
        #expect(challenges.use(challenges.make(at: clock.now()), at: clock.now()) == .accepted)
        clock.advance(by: .seconds(120))
        #expect(challenges.use(challenges.make(at: clock.now()), at: clock.now()) == .accepted)
        // Nor when the clock shows their time again.
        clock.advance(by: .seconds(86_280))
        for challenge in [used, unused] { #expect(challenges.use(challenge, at: clock.now()) == .refused) }
    }

    @Test func `a step back of less than a second changes nothing`() {
        let clock = FixedClock()
        let challenges = AttestationChallenges(SeededEntropy())
        let challenge = challenges.make(at: clock.now())
        clock.advance(by: .milliseconds(-900))
        #expect(challenges.use(challenge, at: clock.now()) == .accepted)
        #expect(challenges.use(challenge, at: clock.now()) == .refused)
    }
}
