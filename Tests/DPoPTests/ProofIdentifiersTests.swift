// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthSystem
import StrictJSON
import Synchronization
import Testing

@testable import DPoP

@Suite("RFC 9449 section 4.2: values for jti")
struct ProofIdentifiersTests {
    /// Counts up in every byte that it gives out, and keeps how many were asked for.
    private final class CountingEntropy: Entropy {
        private let state = Mutex((next: 0, requests: [Int]()))

        var requests: [Int] { state.withLock { $0.requests } }

        func bytes(_ count: Int) -> [UInt8] {
            state.withLock { state in
                state.requests.append(count)
                defer { state.next += count / 16 }
                return (0..<count).map { UInt8(truncatingIfNeeded: state.next + $0 / 16) }
            }
        }
    }

    private func next(_ identifiers: ProofIdentifiers) -> String {
        var output: [UInt8] = []
        identifiers.append(to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    @Test func `every value is 128 bits that were drawn for it alone`() throws {
        let entropy = CountingEntropy()
        let identifiers = ProofIdentifiers(entropy: entropy)
        for number in 0..<100 {
            let bytes = try Base64URL.decode(next(identifiers))
            #expect(bytes == [UInt8](repeating: UInt8(number), count: 16))
        }
        // The first one alone, then more at a time, and never more than 16.
        #expect(entropy.requests == [16, 32, 64, 128] + [Int](repeating: 256, count: 6))
    }

    @Test func `callers on many threads never get the same value`() async {
        let identifiers = ProofIdentifiers(entropy: SystemEntropy())
        let values = await withTaskGroup(of: [String].self) { group in
            for _ in 0..<8 { group.addTask { (0..<500).map { _ in next(identifiers) } } }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(Set(values).count == 4000)
    }
}
