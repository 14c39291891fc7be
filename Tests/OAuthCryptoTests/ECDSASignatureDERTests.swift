// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import OAuthCrypto

@Suite("RFC 3279 section 2.2.3: DER form of an ECDSA signature")
struct ECDSASignatureDERTests {
    private func encode(_ raw: [UInt8]) -> [UInt8]? {
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: ECDSASignatureDER.maximumCount) { target in
            unsafe ECDSASignatureDER.encode(raw: raw.span, into: target).map { unsafe Array(target[..<$0]) }
        }
    }
    private func decode(_ der: [UInt8]) -> [UInt8]? { ECDSASignatureDER.decode(der.span) }

    private func raw(r: [UInt8], s: [UInt8]) -> [UInt8] {
        [UInt8](repeating: 0, count: 32 - r.count) + r + [UInt8](repeating: 0, count: 32 - s.count) + s
    }

    @Test func `integers are minimal and positive`() {
        #expect(encode(raw(r: [1], s: [0x7f])) == octets("3006 020101 02017f"))
        #expect(encode(raw(r: [0x80], s: [0xff, 0])) == octets("3009 02020080 020300ff00"))
    }

    @Test func `the longest form is 72 octets`() {
        let longest = [UInt8](repeating: 0xff, count: 64)
        #expect(encode(longest)?.count == ECDSASignatureDER.maximumCount)
    }

    @Test func `decoding gives back what was encoded`() throws {
        let numbers: [[UInt8]] = [[1], [0x7f], [0x80], [1, 0], [0x80, 0], [UInt8](repeating: 0xff, count: 32)]
        for r in numbers {
            for s in numbers {
                let raw = raw(r: r, s: s)
                let der = try #require(encode(raw))
                #expect(decode(der) == raw)
            }
        }
    }

    @Test(arguments: [
        "", "30", "3006", "3006 020101 0201", "3006 020101 02017f 00", "3007 020101 02017f", "3106 020101 02017f",
        "3006 030101 02017f", "3006 020101 03017f", "3006 020701 02017f", "3006 0200 02027f01", "3006 020101 020500",
        "3045 0221 01" + String(repeating: "02", count: 32) + "0220" + String(repeating: "01", count: 32),
    ])
    func `refuses what is not two integers in a sequence`(der: String) {
        #expect(decode(octets(der)) == nil)
    }
}
