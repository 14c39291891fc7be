// SPDX-License-Identifier: Apache-2.0

/// The cryptographic random generator of the platform.
public struct SystemEntropy: Entropy {
    /// Creates the source.
    public init() {}

    /// Generates random bytes that an attacker cannot predict.
    ///
    /// - Parameter count: The number of bytes.
    /// - Returns: That many bytes.
    public func bytes(_ count: Int) -> [UInt8] {
        SystemRandom.bytes(count)
    }
}
