// SPDX-License-Identifier: Apache-2.0

import OAuthCrypto
public import OAuthSystem
import Synchronization

/// Random-looking bytes that are the same in every run: only for tests.
///
/// Anyone who knows the seed can compute every key, code and token made from it. Callers that share a source get bytes
/// in the order of their calls; if that order can vary, give each its own source with ``separate(_:)``.
public final class DeterministicEntropy: Entropy {
    private let key: HMACSHA256Key
    private let count = Mutex<UInt64>(0)

    /// Makes a source.
    ///
    /// - Parameter seed: The same seed gives the same bytes.
    public convenience init(seed: UInt64 = 1) {
        self.init(key: seed.bigEndianBytes + [UInt8](repeating: 0, count: 24))
    }

    private init(key: [UInt8]) {
        self.key = HMACSHA256Key(key)
    }

    /// The next bytes.
    ///
    /// - Parameter count: How many bytes.
    /// - Returns: That many bytes.
    public func bytes(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count { bytes += nextBlock() }
        return Array(bytes.prefix(count))
    }

    /// A separate source, independent of the bytes already taken from this one.
    ///
    /// - Parameter name: The same name gives the same bytes.
    /// - Returns: The source, at its beginning.
    public func separate(_ name: String) -> DeterministicEntropy {
        DeterministicEntropy(key: key.authenticationCode(for: Array("source \(name)".utf8)).bytes)
    }

    private func nextBlock() -> [UInt8] {
        let number = count.withLock { count in
            defer { count += 1 }
            return count
        }
        return key.authenticationCode(for: Array("block ".utf8) + number.bigEndianBytes).bytes
    }
}
