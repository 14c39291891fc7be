// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthCrypto
import OAuthSystem
import Testing

@Suite("A byte is found wherever it stands")
struct SpanSearchTests {
    /// Up to two blocks of 64, one of sixteen and some single bytes.
    private static let counts = [0, 1, 15, 16, 17, 63, 64, 65, 79, 80, 128, 131, 149]

    @Test(arguments: counts)
    func `the first of two, from every start`(count: Int) {
        let dot = UInt8(ascii: ".")
        for place in 0..<count {
            var bytes = [UInt8](repeating: UInt8(ascii: "a"), count: count)
            bytes[place] = dot
            bytes[count - 1] = dot
            for start in 0...count {
                let expected = start <= place ? place : start < count ? count - 1 : nil
                let found = bytes.withSpan { $0.firstIndex(of: dot, from: start) }
                if found != expected {
                    Issue.record("\(place) of \(count) from \(start): \(String(describing: found))")
                }
            }
        }
    }

    @Test(arguments: counts)
    func `no byte that differs in one bit is found`(count: Int) {
        for bit in 0..<8 {
            let bytes = [UInt8](repeating: UInt8(ascii: ".") ^ 1 << bit, count: count)
            #expect(bytes.withSpan { $0.firstIndex(of: UInt8(ascii: ".")) } == nil)
        }
    }
}
