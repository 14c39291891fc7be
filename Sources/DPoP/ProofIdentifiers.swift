// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
import StrictJSON
import Synchronization

/// Random values for `jti`, 128 bits each (RFC 9449 section 4.2), generated in batches.
///
/// One call of the platform's generator costs as much as writing all other claims. The values must be unique, not
/// secret: every proof discloses one.
final class ProofIdentifiers: Sendable {
    private struct Batch {
        var bytes: [UInt8] = []
        var used = 0
    }

    private static let size = 16
    private static let largestBatch = 16

    private let batch = Mutex(Batch())
    private let entropy: any Entropy

    init(entropy: any Entropy) {
        self.entropy = entropy
    }

    /// Appends the next value in base64url, 22 characters.
    func append(to output: inout [UInt8]) {
        batch.withLock { batch in
            if batch.used == batch.bytes.count {
                // The batch starts at one value, so that a single proof costs a single value.
                let count = min(Self.largestBatch, 2 * batch.bytes.count / Self.size)
                batch = Batch(bytes: entropy.bytes(Self.size * max(1, count)))
            }
            let start = batch.used
            batch.bytes.withSpan { Base64URL.append($0.extracting(start..<start + Self.size), to: &output) }
            batch.used += Self.size
        }
    }
}
