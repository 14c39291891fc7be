// SPDX-License-Identifier: Apache-2.0

import ServerStorage
import TestSupport
import Testing

@testable import AuthorizationServer

@Suite("User codes, RFC 8628 section 6.1")
struct UserCodeTests {
    @Test func `every letter occurs, about as often as every other one`() {
        let entropy = SeededEntropy()
        var counts: [Character: Int] = [:]
        for _ in 0..<5000 {
            for letter in UserCode(entropy: entropy).shown where letter != "-" { counts[letter, default: 0] += 1 }
        }
        #expect(Set(counts.keys) == Set("BCDFGHJKLMNPQRSTVWXZ"))
        // 2000 each on average, with a standard deviation of 44.
        #expect(counts.values.allSatisfy { (1750...2250).contains($0) }, "\(counts)")
    }

    @Test(arguments: ["", "BCDF-GHJ", "BCDF-GHJKL", "BCDF_GHJK", "ACDF-GHJK", "BCDF\u{2010}GHJK", "ＢCDFGHJK"])
    func `what cannot be a code is none`(typed: String) {
        #expect(UserCode(typed: typed) == nil)
    }

    @Test func `a text without end is not looked at`() {
        #expect(UserCode(typed: String(repeating: "-", count: 64) + "BCDFGHJK") == nil)
    }

    @Test func `what is stored is not the code`() throws {
        let code = try #require(UserCode(typed: "bcdf ghjk"))
        #expect(code.shown == "BCDF-GHJK")
        #expect(code.hash != SecretHash(of: "BCDFGHJK"))
        #expect(code.hash == UserCode(typed: "BCDF-GHJK")?.hash)
    }
}
