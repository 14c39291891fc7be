// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthCrypto
import OAuthSystem
import ProofSuite
import StrictJSON
import TestSupport
import Testing

@testable import DPoP

@Suite("RFC 9449 sections 8 and 9: nonces that need no memory")
struct DPoPNonceIssuerTests {
    /// The first moment of a minute.
    private let now = Timestamp(secondsSince1970: 1_789_999_980)
    private let issuer = DPoPNonceIssuer(role: .resourceServer, secrets: [Scenario.secret])

    private func isValid(_ nonce: String, _ issuer: DPoPNonceIssuer? = nil, at time: Timestamp? = nil) -> Bool {
        age(of: nonce, issuer, at: time) != nil
    }

    private func age(of nonce: String, _ issuer: DPoPNonceIssuer? = nil, at time: Timestamp? = nil) -> Duration? {
        nonce.withUTF8Span { nonce in
            guard case .valid(let age) = (issuer ?? self.issuer).judge(nonce, at: time ?? now) else { return nil }
            return age
        }
    }

    @Test func `a nonce is 30 NQCHARs`() {
        let nonce = issuer.nonce(at: now)
        #expect(nonce.utf8.count == 30)
        #expect(nonce.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C })
    }

    @Test func `it is accepted for 300 seconds from the start of its minute, and a minute ahead`() {
        let nonce = issuer.nonce(at: now + .seconds(59))
        #expect(issuer.nonce(at: now) == nonce)
        #expect(issuer.nonce(at: now + .seconds(60)) != nonce)
        for seconds in [-60, -1, 0, 59, 60, 299, 300] {
            #expect(isValid(nonce, at: now + .seconds(seconds)), "\(seconds)")
        }
        for seconds in [-61, 301, 3600, -3600] {
            #expect(!isValid(nonce, at: now + .seconds(seconds)), "\(seconds)")
        }
        #expect(!isValid(nonce, at: now + .milliseconds(300_001)))
        #expect(!isValid(nonce, at: now - .milliseconds(60_001)))
    }

    @Test func `its age is counted from the start of its minute`() throws {
        #expect(age(of: issuer.nonce(at: now + .seconds(59)), at: now + .seconds(120)) == .seconds(120))
    }

    @Test func `what is remembered of minutes never changes an answer`() {
        let other = DPoPNonceIssuer(role: .resourceServer, secrets: [Scenario.secret])
        // More minutes than are remembered, there and back.
        for minute in Array(0..<20) + (0..<20).reversed() {
            let time = now + .seconds(60 * minute)
            let nonce = other.nonce(at: time)
            #expect(nonce == DPoPNonceIssuer(role: .resourceServer, secrets: [Scenario.secret]).nonce(at: time))
            #expect(isValid(nonce, at: time))
            var forged = Array(nonce.utf8)
            forged[20] = forged[20] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            #expect(!isValid(String(decoding: forged, as: UTF8.self), at: time))
        }
    }

    @Test func `two nodes with the same secret agree`() {
        let other = DPoPNonceIssuer(role: .resourceServer, secrets: [Scenario.secret])
        #expect(other.nonce(at: now) == issuer.nonce(at: now))
        #expect(isValid(issuer.nonce(at: now), other))
    }

    @Test func `attack 96, the nonce of one role is not one of the other`() {
        let authorizationServer = DPoPNonceIssuer(role: .authorizationServer, secrets: [Scenario.secret])
        #expect(isValid(authorizationServer.nonce(at: now), authorizationServer))
        #expect(!isValid(authorizationServer.nonce(at: now)))
        #expect(!isValid(issuer.nonce(at: now), authorizationServer))
    }

    @Test func `attack 96, a nonce made with another secret`() {
        for number: UInt8 in [0, 1, 2, 255] {
            let other = DPoPNonceSecret(number: number, bytes: [UInt8](repeating: 8, count: 32))
            #expect(!isValid(DPoPNonceIssuer(role: .resourceServer, secrets: [other]).nonce(at: now)))
        }
    }

    @Test func `attack 96, every changed bit of a nonce is noticed`() throws {
        let bytes = try Base64URL.decode(issuer.nonce(at: now))
        #expect(bytes.count == 22)
        for bit in 0..<(bytes.count * 8) {
            var forged = bytes
            forged[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(!isValid(Base64URL.encode(forged)), "\(bit)")
        }
    }

    @Test func `attack 96, a nonce in another spelling or of another length`() throws {
        let nonce = issuer.nonce(at: now)
        let others = [
            "", "A", nonce + "A", String(nonce.dropLast()), nonce + "=", nonce + " ", " " + nonce.dropLast(),
            nonce + nonce,
            String(repeating: "A", count: 30), String(repeating: "A", count: 10_000),
            String(repeating: "\u{e9}", count: 15),
            nonce.uppercased(), nonce.dropLast() + "=", "\0" + nonce.dropFirst(),
        ]
        for other in others where other != nonce {
            #expect(!isValid(String(other)), "\(other.prefix(40))")
        }
        // 30 characters are 22.5 bytes: four bits of the last one mean nothing.
        for last in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_" {
            let twin = String(nonce.dropLast()) + String(last)
            #expect(isValid(twin) == (twin == nonce))
        }
    }

    @Test func `rotation keeps the secret before, not the one before that`() {
        let first = issuer.nonce(at: now)
        issuer.rotate(to: DPoPNonceSecret(number: 2, entropy: SeededEntropy(seed: 2)))
        let second = issuer.nonce(at: now)
        #expect(second != first)
        #expect(isValid(first))
        #expect(isValid(second))
        issuer.rotate(to: DPoPNonceSecret(number: 3, entropy: SeededEntropy(seed: 3)))
        #expect(!isValid(first))
        #expect(isValid(second))
        #expect(isValid(issuer.nonce(at: now)))
    }

    @Test func `rotation to the secret in use changes nothing`() {
        let current = DPoPNonceSecret(number: 2, entropy: SeededEntropy(seed: 2))
        let first = issuer.nonce(at: now)
        for _ in 0..<3 { issuer.rotate(to: current) }
        #expect(isValid(first))
    }

    @Test func `a new memory makes other nonces of the same secrets, the same memory again does not`() {
        let epochs = (1...2).map { ReplayEpoch(startingAt: now, entropy: SeededEntropy(seed: $0)) }
        let bare = issuer.nonce(at: now)
        issuer.start(epochs[0])
        let first = issuer.nonce(at: now)
        #expect(first != bare && !isValid(bare))
        issuer.start(ReplayEpoch(bytes: epochs[0].bytes, since: now + .seconds(9)))
        #expect(issuer.nonce(at: now) == first && issuer.epoch?.since == now)
        issuer.start(epochs[1])
        #expect(!isValid(first))
        issuer.start(epochs[0])
        #expect(isValid(first))
        issuer.rotate(to: DPoPNonceSecret(number: 2, entropy: SeededEntropy(seed: 2)))
        #expect(isValid(first) && issuer.epoch == epochs[0])
    }

    @Test func `an issuer that starts with two secrets accepts the nonces of both and makes those of the first`() {
        let old = DPoPNonceSecret(number: 1, entropy: SeededEntropy(seed: 1))
        let new = DPoPNonceSecret(number: 2, entropy: SeededEntropy(seed: 2))
        let oldIssuer = DPoPNonceIssuer(role: .resourceServer, secrets: [old])
        let newIssuer = DPoPNonceIssuer(role: .resourceServer, secrets: [new])
        let both = DPoPNonceIssuer(role: .resourceServer, secrets: [new, old])
        #expect(isValid(oldIssuer.nonce(at: now), both))
        #expect(both.nonce(at: now) == newIssuer.nonce(at: now))
        #expect(!isValid(both.nonce(at: now), oldIssuer))
    }

    @Test func `without a secret no nonce is valid`() {
        let none = DPoPNonceIssuer(role: .resourceServer, secrets: [])
        #expect(!isValid(issuer.nonce(at: now), none))
        #expect(!isValid(none.nonce(at: now), none))
    }

    @Test func `times that no clock should show do not crash`() {
        let nonce = issuer.nonce(at: now)
        for time in [Int64.min, -1, 0, Int64.max].map(Timestamp.init(millisecondsSince1970:)) {
            #expect(!isValid(nonce, at: time))
            #expect(issuer.nonce(at: time).utf8.count == 30)
        }
    }

    @Test func `the secret does not print`() {
        let secret = DPoPNonceSecret(number: 1, bytes: [UInt8](repeating: 201, count: 32))
        var dumped = ""
        dump(secret, to: &dumped)
        dump(DPoPNonceIssuer(role: .resourceServer, secrets: [secret]), to: &dumped)
        #expect(!dumped.contains("201"))
        #expect("\(secret)" == "<redacted>")
        #expect(!String(reflecting: [secret]).contains("201"))
    }

    @Test func `a secret that is not 32 bytes makes no nonces and accepts none`() {
        let weak = DPoPNonceSecret(number: 1, bytes: [])
        let weakIssuer = DPoPNonceIssuer(role: .resourceServer, secrets: [weak])
        #expect(weakIssuer.nonce(at: now).isEmpty)
        issuer.rotate(to: weak)
        #expect(isValid(issuer.nonce(at: now)))
    }
}
