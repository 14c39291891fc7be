// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import OAuthCrypto
import OAuthSystem
import Testing

@testable import BatchVerification

/// What the library of lanes does not check by itself, or not in the same way: each is refused before a lane is filled.
@Suite("Eight signatures at once: what gets no lane")
struct LaneChecksTests {
    private struct Signed {
        let algorithm: BatchAlgorithm
        let signature: [UInt8]
        let add: (_ signature: [UInt8], _ lanes: inout SignatureBatch) -> Bool

        init(_ algorithm: BatchAlgorithm) throws {
            self.algorithm = algorithm
            let message = Array("what was signed".utf8)
            let seed = [UInt8](repeating: 5, count: algorithm == .es384 ? 48 : 32)
            switch algorithm {
            case .es256:
                let key = try P256PrivateKey(rawRepresentation: .init(seed))
                signature = try key.signature(for: message)
                add = { $1.append(key.publicKey, $0.span, message.span) }
            case .es384:
                let key = try ECPrivateKey(rawRepresentation: .init(seed), curve: .p384)
                signature = try key.signature(for: message)
                add = { $1.append(key.publicKey, $0.span, message.span) }
            case .ed25519:
                let key = try Ed25519PrivateKey(rawRepresentation: .init(seed))
                signature = try key.signature(for: message)
                add = { $1.append(key.publicKey, $0.span, message.span) }
            }
        }

        var size: Int { algorithm.size }

        /// Whether a signature gets a lane; the lanes say how many there are.
        func getsLane(_ signature: [UInt8]) -> Bool {
            var lanes = SignatureBatch(algorithm)
            let isAdded = add(signature, &lanes)
            #expect(lanes.count == (isAdded ? 1 : 0))
            #expect(lanes.parts.isEmpty != isAdded)
            return isAdded
        }

        /// The signature with another r or s, most significant octet first.
        func replacing(_ part: Int, by number: [UInt8]) -> [UInt8] {
            var changed = signature
            changed.replaceSubrange(part * size..<(part + 1) * size, with: number)
            return changed
        }
    }

    private static func decremented(_ number: [UInt8]) -> [UInt8] {
        var number = number
        number[number.count - 1] -= 1
        return number
    }

    @Test(arguments: [BatchAlgorithm.es256, .es384])
    func `r and s of zero, of the order and above it`(algorithm: BatchAlgorithm) throws {
        let signed = try Signed(algorithm)
        #expect(signed.getsLane(signed.signature))
        let zero = [UInt8](repeating: 0, count: signed.size)
        let highest = [UInt8](repeating: 0xFF, count: signed.size)
        for part in 0...1 {
            for number in [zero, algorithm.order, highest] {
                #expect(!signed.getsLane(signed.replacing(part, by: number)), "\(part)")
            }
            // The largest and the smallest that there are: for the lanes to judge.
            #expect(signed.getsLane(signed.replacing(part, by: Self.decremented(algorithm.order))))
            #expect(signed.getsLane(signed.replacing(part, by: zero.dropLast() + [1])))
        }
    }

    @Test func `S of the order, and above it`() throws {
        let signed = try Signed(.ed25519)
        let order = BatchAlgorithm.ed25519.order
        #expect(signed.getsLane(signed.signature))
        #expect(signed.getsLane(signed.replacing(1, by: Self.decremented(order).reversed())))
        #expect(!signed.getsLane(signed.replacing(1, by: order.reversed())))
        #expect(!signed.getsLane(signed.replacing(1, by: [UInt8](repeating: 0xFF, count: 32))))
        // S + L: the same to the equation, and what the library takes.
        var (sum, carry) = ([UInt8](), 0)
        for (octet, other) in zip(signed.signature[32...], order.reversed()) {
            carry += Int(octet) + Int(other)
            sum.append(UInt8(carry & 0xFF))
            carry >>= 8
        }
        #expect(carry == 0)
        #expect(!signed.getsLane(signed.replacing(1, by: sum)))
    }

    @Test(arguments: BatchAlgorithm.allCases)
    func `signatures that are too short or too long`(algorithm: BatchAlgorithm) throws {
        let signed = try Signed(algorithm)
        #expect(!signed.getsLane([]))
        #expect(!signed.getsLane(signed.signature.dropLast()))
        #expect(!signed.getsLane(signed.signature + [0]))
    }

    @Test func `points that are on no curve, or whose coordinates are not below the prime`() throws {
        // FIPS 186-5: the prime of P-256, and x = 5 with y = 5, which fulfils no equation.
        let prime: [UInt8] =
            [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 1] + [UInt8](repeating: 0, count: 12)
            + [UInt8](repeating: 0xFF, count: 12)
        let five = [UInt8](repeating: 0, count: 31) + [5]
        let good = try P256PrivateKey(rawRepresentation: .init([UInt8](repeating: 5, count: 32))).publicKey
        #expect(good.isOnCurve())
        let (signature, message) = (try Signed(.es256).signature, [UInt8]())
        for (x, y) in [(five, five), (prime, good.y), (good.x, prime), (good.y, good.x), (five.map { _ in 0 }, prime)] {
            let key = try P256PublicKey(x: x, y: y)
            #expect(!key.isOnCurve())
            var lanes = SignatureBatch(.es256)
            let isAdded = lanes.append(key, signature.span, message.span)
            #expect(!isAdded && lanes.count == 0)
            // What refused one point takes the next one.
            #expect(good.isOnCurve())
        }
        // x = 0 with y^2 = b is a point; with x = p it is none, although p is 0 to the field.
        let root: [UInt8] = [
            0x66, 0x48, 0x5C, 0x78, 0x0E, 0x2F, 0x83, 0xD7, 0x24, 0x33, 0xBD, 0x5D, 0x84, 0xA0, 0x6B, 0xB6,
            0x54, 0x1C, 0x2A, 0xF3, 0x1D, 0xAE, 0x87, 0x17, 0x28, 0xBF, 0x85, 0x6A, 0x17, 0x4F, 0x93, 0xF4,
        ]
        #expect(try P256PublicKey(x: [UInt8](repeating: 0, count: 32), y: root).isOnCurve())
        #expect(try !P256PublicKey(x: prime, y: root).isOnCurve())
        let wide = try ECPublicKey(
            curve: .p384,
            x: [UInt8](repeating: 0, count: 47) + [5],
            y: [UInt8](repeating: 0, count: 47) + [5]
        )
        let wideSignature = try Signed(.es384).signature
        var lanes = SignatureBatch(.es384)
        let isAdded = lanes.append(wide, wideSignature.span, message.span)
        #expect(!isAdded && lanes.count == 0)
    }

    @Test func `keys and signatures of another algorithm`() throws {
        for algorithm in BatchAlgorithm.allCases {
            let signed = try Signed(algorithm)
            for other in BatchAlgorithm.allCases where other != algorithm {
                var lanes = SignatureBatch(other)
                #expect(!signed.add(signed.signature, &lanes), "\(algorithm) in lanes of \(other)")
            }
        }
    }

    /// `taskset` binds a process to some of them; the kernel says to which, as a mask in hexadecimal.
    @Test func `processors, as many as this process may run on`() throws {
        let status = try String(contentsOfFile: "/proc/thread-self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed:") })
        let allowed = line.compactMap(\.hexDigitValue).dropFirst("Cpus_allowed".compactMap(\.hexDigitValue).count)
        #expect(SystemProcessors.count == allowed.reduce(0) { $0 + $1.nonzeroBitCount })
    }
}
#endif
