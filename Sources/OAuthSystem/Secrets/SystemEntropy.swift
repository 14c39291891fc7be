// SPDX-License-Identifier: Apache-2.0

/// The cryptographic random generator of the platform.
public struct SystemEntropy: Entropy {
    /// Makes the source.
    public init() {}

    /// Random bytes that nobody can predict.
    ///
    /// - Parameter count: How many bytes.
    /// - Returns: That many bytes.
    public func bytes(_ count: Int) -> [UInt8] {
        SystemRandom.bytes(count)
    }
}
