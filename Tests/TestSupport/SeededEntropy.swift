// SPDX-License-Identifier: Apache-2.0

import JOSE
public import OAuthSystem
import Synchronization

/// Random-looking bytes that never repeat within a test, and are the same in every run.
public final class SeededEntropy: Entropy {
    private let generator: Mutex<SeededGenerator>

    /// Makes the source.
    ///
    /// - Parameter seed: The same seed gives the same bytes.
    public init(seed: UInt64 = 1) {
        generator = Mutex(SeededGenerator(seed: seed))
    }

    /// The next bytes.
    ///
    /// - Parameter count: How many bytes.
    /// - Returns: That many bytes.
    public func bytes(_ count: Int) -> [UInt8] {
        generator.withLock { $0.bytes(count) }
    }
}
