// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import OAuthCrypto
import TestSupport
import Testing

@testable import BatchVerification

@Suite("Eight signatures at once: the library", .computesForLong)
struct BatchVerifierTests {
    /// Says of every lane what it is told to.
    private struct Liar: BatchFunctions {
        let name = "a liar"
        let answer: @Sendable (SignatureBatch) -> UInt8
        func verify(_ lanes: SignatureBatch) -> UInt8 { answer(lanes) }
    }

    private struct NotAdded: Error {}

    /// The keys of lanes: one for each, or the same in all.
    private static func messages() -> [[UInt8]] { (0..<8).map { Array("message \($0)".utf8) } }

    /// Adds good signatures, and spoilt ones where the mask has no bit.
    private static func lanes(_ algorithm: BatchAlgorithm, keys: Int) throws -> (UInt8) throws -> SignatureBatch {
        let messages = messages()
        func pick<Key>(_ made: [Key], _ lane: Int) -> Key { made[lane % made.count] }
        func fill(
            _ signatures: [[UInt8]],
            _ add: @escaping (Int, Span<UInt8>, Span<UInt8>, inout SignatureBatch) -> Bool
        ) -> (UInt8) throws -> SignatureBatch {
            { mask in
                var lanes = SignatureBatch(algorithm)
                for lane in 0..<8 {
                    let message = mask >> UInt8(lane) & 1 == 1 ? messages[lane] : messages[lane] + [0]
                    let signature = signatures[lane]
                    guard add(lane, signature.span, message.span, &lanes) else { throw NotAdded() }
                }
                return lanes
            }
        }
        switch algorithm {
        case .es256:
            let made = try (1...keys).map {
                try P256PrivateKey(rawRepresentation: .init(repeating: UInt8($0), count: 32))
            }
            let signatures = try messages.enumerated().map { try pick(made, $0).signature(for: $1) }
            return fill(signatures) { $3.append(pick(made, $0).publicKey, $1, $2) }
        case .es384:
            let made = try (1...keys).map {
                try ECPrivateKey(rawRepresentation: .init(repeating: UInt8($0), count: 48), curve: .p384)
            }
            let signatures = try messages.enumerated().map { try pick(made, $0).signature(for: $1) }
            return fill(signatures) { $3.append(pick(made, $0).publicKey, $1, $2) }
        case .ed25519:
            let made = try (1...keys).map {
                try Ed25519PrivateKey(rawRepresentation: .init(repeating: UInt8($0), count: 32))
            }
            let signatures = try messages.enumerated().map { try pick(made, $0).signature(for: $1) }
            return fill(signatures) { $3.append(pick(made, $0).publicKey, $1, $2) }
        }
    }

    private func verifier() throws -> BatchVerifier? {
        TestLanes.processorHasThem ? try BatchVerifier.load(from: TestLanes.folder) : nil
    }

    @Test(arguments: BatchAlgorithm.allCases, [1, 8])
    func `every mix of valid and invalid lanes, of one key and of eight`(algorithm: BatchAlgorithm, keys: Int) throws {
        guard let verifier = try verifier() else { return }
        let lanes = try Self.lanes(algorithm, keys: keys)
        for mask in UInt8.min...UInt8.max {
            let verdicts = verifier.validLanes(try lanes(mask))
            #expect(verdicts == mask, "\(algorithm), \(mask)")
        }
    }

    @Test func `it pays from two to eight signatures on, and no lanes are no answers`() throws {
        guard let verifier = try verifier() else { return }
        for algorithm in BatchAlgorithm.allCases {
            #expect((2...9).contains(verifier.breakEven(algorithm)))
            #expect(verifier.validLanes(SignatureBatch(algorithm)) == 0)
        }
    }

    @Test func `the known answers are those of one verification after the other`() {
        for algorithm in BatchAlgorithm.allCases {
            #expect(KnownAnswerTest(algorithm).isValidAlone())
            for part in 0..<SignatureBatch(algorithm).partCount where algorithm == .ed25519 || part != 2 {
                #expect(!KnownAnswerTest(algorithm).spoilt(part).isValidAlone(), "\(algorithm), \(part)")
            }
        }
    }

    @Test func `what says yes to everything, no, or the answer of the neighbour, is rejected`() throws {
        let answers: [@Sendable (SignatureBatch) -> UInt8] = [
            { _ in 0xFF }, { _ in 0 }, { UInt8(truncatingIfNeeded: (1 << $0.count) - 1) },
        ]
        for answer in answers {
            #expect(throws: BatchVerificationError.self) { try BatchVerifier(Liar(answer: answer)) }
        }
        guard TestLanes.processorHasThem else { return }
        let library = try CryptoMB(CryptoMBFile.find(in: TestLanes.folder))
        _ = try BatchVerifier(Liar { library.verify($0) })
        #expect(throws: BatchVerificationError.self) {
            try BatchVerifier(Liar { library.verify($0).byteSwapped << 1 | library.verify($0) >> 7 })
        }
        #expect(throws: BatchVerificationError.self) {
            try BatchVerifier(Liar { $0.count == 8 ? library.verify($0) : 0xFF })
        }
        // Wrong for one algorithm only, in one lane only.
        #expect(throws: BatchVerificationError.self) {
            try BatchVerifier(Liar { library.verify($0) | ($0.algorithm == .es384 ? 0x20 : 0) })
        }
    }

    @Test func `on another processor it is rejected, and nothing else happens`() throws {
        guard !TestLanes.processorHasThem else { return }
        #expect(throws: BatchVerificationError.self) { try BatchVerifier.load(from: TestLanes.folder) }
    }

    @Test func `a folder without it, and files that are cut off anywhere, are rejected before they are loaded`() throws
    {
        let manager = FileManager.default
        let folder = manager.temporaryDirectory.appendingPathComponent("lanes-\(UUID().uuidString)")
        try manager.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? manager.removeItem(at: folder) }
        #expect(throws: BatchVerificationError.self) { try BatchVerifier.load(from: folder.path) }
        guard TestLanes.processorHasThem else { return }
        let whole = try Data(contentsOf: URL(fileURLWithPath: TestLanes.folder + "/libcrypto_mb.so.13"))
        let target = folder.appendingPathComponent("libcrypto_mb.so.13")
        for count in [0, 3, 63, 64, 500, 4096, 100_000, whole.count / 2, whole.count - 4096, whole.count - 1] {
            try whole.prefix(count).write(to: target)
            let error = #expect(throws: BatchVerificationError.self) { try BatchVerifier.load(from: folder.path) }
            #expect(error?.reason.hasSuffix("is cut off, or no library") == true, "\(count)")
        }
        try whole.write(to: target)
        try Data([0x7F]).write(to: folder.appendingPathComponent("libsvml.so"))
        #expect(throws: BatchVerificationError.self) { try BatchVerifier.load(from: folder.path) }
    }
}
#endif
