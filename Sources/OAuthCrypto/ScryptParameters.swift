// SPDX-License-Identifier: Apache-2.0

/// The work and memory of one scrypt derivation (RFC 7914 section 2).
///
/// The memory is about 128 * ``cost`` * ``blockSize`` bytes. The derivation rejects values outside the limits of RFC
/// 7914.
package struct ScryptParameters: Sendable, Hashable {
    /// N, a power of two larger than 1.
    package let cost: Int
    /// r, the block size.
    package let blockSize: Int
    /// p, the number of blocks, which are mixed sequentially.
    package let parallelism: Int

    /// Takes the three parameters without checking them.
    ///
    /// - Parameters:
    ///   - cost: N, a power of two larger than 1.
    ///   - blockSize: r, at least 1.
    ///   - parallelism: p, at least 1.
    package init(cost: Int, blockSize: Int, parallelism: Int) {
        self.cost = cost
        self.blockSize = blockSize
        self.parallelism = parallelism
    }

    /// For a passphrase that opens a file occasionally: 128 MiB, about a quarter of a second.
    package static let passphrase = ScryptParameters(cost: 1 << 17, blockSize: 8, parallelism: 1)
    /// For passwords that a server checks often: 16 MiB, about a tenth of a second.
    package static let password = ScryptParameters(cost: 1 << 14, blockSize: 8, parallelism: 5)
}
