// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import JOSE
import StrictJSON
import TestSupport
import Testing

@testable import BatchVerification

@Suite("Eight signatures at once: the corpus of the fuzzer", .computesForLong)
struct LaneCorpusTests {
    /// `KEYBOUND_LANE_CORPUS` names another folder, such as what `scripts/fuzz` gathered in .build/fuzz/corpus.
    private static let folder =
        ProcessInfo.processInfo.environment["KEYBOUND_LANE_CORPUS"].map { URL(fileURLWithPath: $0) }
        ?? URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Fuzz/Corpus")

    private static func inputs(_ target: String) throws -> [[UInt8]] {
        let files = try FileManager.default.contentsOfDirectory(
            at: folder.appendingPathComponent(target),
            includingPropertiesForKeys: nil
        )
        return try files.sorted { $0.path < $1.path }.map { Array(try Data(contentsOf: $0)) }
    }

    /// Signs header and payload, on a line each, as the target `signed-proof` does.
    private static func signed(_ input: [UInt8], with key: SoftwareSigningKey) async throws -> String? {
        let lines = input.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
        guard lines.count == 2 else { return nil }
        let message = lines.map { Base64URL.encode(Array($0)) }.joined(separator: ".")
        return try await message + "." + Base64URL.encode(key.sign(Array(message.utf8)))
    }

    @Test func `every input with every key, between good ones, as alone`() async throws {
        let keys = try [SignatureAlgorithm.es256, .edDSA].map { algorithm in
            try SoftwareSigningKey(
                privateKeyBytes: [UInt8](repeating: 1, count: 32),
                algorithm: algorithm,
                protection: .memory
            )
        }
        var texts: [String] = []
        for target in ["jws", "jwt", "proof"] {
            texts += try Self.inputs(target).map { String(decoding: $0, as: UTF8.self) }
        }
        for input in try Self.inputs("signed-proof") {
            if let text = try await Self.signed(input, with: keys[1]) { texts.append(text) }
        }
        var good: [LaneNeighbour] = []
        for key in keys {
            let text = try await CompactJWS.sign(header: [:], payload: [1], with: key)
            good.append(LaneNeighbour(jws: try CompactJWS(parsing: text), key: key.publicKey))
        }
        let batcher = SignatureBatcher(try TestLanes.backend())
        var (accepted, refused) = (0, 0)
        for (number, text) in texts.enumerated() {
            guard let jws = try? CompactJWS(parsing: text) else { continue }
            let own = jws.header["jwk"]?.objectValue.flatMap { try? JWK(parsingUnchecked: $0) }
            for key in keys.map(\.publicKey) + [own].compactMap(\.self) {
                let isSigned = jws.isSigned(by: key)
                // The other lanes are of the algorithm that this one asks for.
                let neighbour = good[jws.algorithm == .es256 ? 0 : 1]
                var tokens = (0..<8).map { _ in SignedToken(neighbour.jws, key: neighbour.key) }
                tokens[number % 8] = SignedToken(jws, key: key)
                var expected = [Bool](repeating: true, count: 8)
                expected[number % 8] = isSigned
                #expect(batcher.areValid(tokens) == expected, "\(text)")
                if isSigned { accepted += 1 } else { refused += 1 }
            }
        }
        #expect(accepted >= 10 && refused >= 10, "\(accepted) \(refused)")
    }

    private struct LaneNeighbour {
        let jws: CompactJWS
        let key: JWK
    }
}
#endif
