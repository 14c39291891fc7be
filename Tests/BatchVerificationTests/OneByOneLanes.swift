// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthCrypto

@testable import BatchVerification

/// Lanes on any processor: each is verified by itself, so that what is built on lanes can be tested where there are none.
///
/// ECDSA's lanes hold the digest of what was signed, not the text: only texts that are known here are found to be signed.
struct OneByOneLanes: BatchFunctions {
    let name = "one by one"
    private let texts: [[UInt8]]

    init(of texts: [[UInt8]]) {
        self.texts = texts + [KnownAnswerTest(.es256).message]
    }

    func verify(_ lanes: SignatureBatch) -> UInt8 {
        (0..<lanes.count).reduce(0) { $0 | (isValid($1, of: lanes) ? 1 << UInt8($1) : 0) }
    }

    private func isValid(_ lane: Int, of lanes: SignatureBatch) -> Bool {
        let size = lanes.algorithm.size
        let first = lane * lanes.partCount
        func part(_ number: Int) -> [UInt8] { Array(lanes.parts[((first + number) * size)...].prefix(size)) }
        let signature = part(0) + part(1)
        func point() -> (x: [UInt8], y: [UInt8]) { (part(3).reversed(), part(4).reversed()) }
        switch lanes.algorithm {
        case .es256:
            let (x, y) = point()
            guard let text = text(.sha256, part(2)), let key = try? P256PublicKey(x: x, y: y) else { return false }
            return key.isValidSignature(signature, for: text)
        case .es384:
            let (x, y) = point()
            guard let text = text(.sha384, part(2)), let key = try? ECPublicKey(curve: .p384, x: x, y: y) else {
                return false
            }
            return key.isValidSignature(signature, for: text)
        case .ed25519:
            guard let key = try? Ed25519PublicKey(rawRepresentation: part(2)) else { return false }
            return key.isValidSignature(signature, for: Array(lanes.messages[lanes.messageRange(of: lane)]))
        }
    }

    private func text(_ algorithm: HashAlgorithm, _ digest: [UInt8]) -> [UInt8]? {
        texts.first { algorithm.hash($0) == digest }
    }
}
#endif
