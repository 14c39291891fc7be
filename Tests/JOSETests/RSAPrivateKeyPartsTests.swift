// SPDX-License-Identifier: Apache-2.0

import JOSE
import TestSupport
import Testing

@Suite("RFC 8017 section 3.2: the parts of a private key of RSA belong together")
struct RSAPrivateKeyPartsTests {
    private static let key: Result<[UInt8], any Error> = Result {
        try #require(PeerVector.accepted.first { $0.description == "PS256" }).privateKey
    }

    /// Where the numbers of a `PrivateKeyInfo` begin and end, in the order of RFC 8017 appendix A.1.2.
    private static func numbers(_ bytes: [UInt8]) -> [Range<Int>] {
        var (found, position): ([Range<Int>], Int) = ([], 0)
        while position + 1 < bytes.count {
            let (tag, first) = (bytes[position], Int(bytes[position + 1]))
            position += 2
            var length = first
            if first >= 0x80 {
                length = bytes[position..<(position + first - 0x80)].reduce(0) { $0 << 8 | Int($1) }
                position += first - 0x80
            }
            // Sequences and the octet string around the key are entered, everything else is passed over.
            guard tag != 0x30, tag != 0x04 else { continue }
            if tag == 0x02 { found.append(position..<(position + length)) }
            position += length
        }
        // The first two are versions.
        return Array(found.dropFirst(2))
    }

    @Test func `a key whose every part is right is taken`() throws {
        let bytes = try Self.key.get()
        #expect(Self.numbers(bytes).count == 8)
        _ = try SoftwareSigningKey(privateKeyBytes: bytes, algorithm: .rs256, protection: .memory)
    }

    @Test(
        arguments: ["modulus", "exponent", "private exponent", "p", "q", "d mod p-1", "d mod q-1", "coefficient"]
            .enumerated().map { ($0.offset, $0.element) }
    )
    func `a key of which one part is another number is rejected`(index: Int, name: String) throws {
        var bytes = try Self.key.get()
        let place = Self.numbers(bytes)[index]
        // Odd stays odd, so that it is not the parity that shows.
        bytes[place.upperBound - 1] ^= 2
        #expect(
            errorCode { try SoftwareSigningKey(privateKeyBytes: bytes, algorithm: .rs256, protection: .memory) }
                == .malformedKey
        )
    }

    @Test func `primes in the other order without their coefficient are rejected`() throws {
        var bytes = try Self.key.get()
        let places = Self.numbers(bytes)
        let (p, q) = (Array(bytes[places[3]]), Array(bytes[places[4]]))
        try #require(p.count == q.count)
        bytes.replaceSubrange(places[3], with: q)
        bytes.replaceSubrange(places[4], with: p)
        #expect(
            errorCode { try SoftwareSigningKey(privateKeyBytes: bytes, algorithm: .rs256, protection: .memory) }
                == .malformedKey
        )
    }
}
