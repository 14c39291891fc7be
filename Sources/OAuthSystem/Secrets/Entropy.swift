// SPDX-License-Identifier: Apache-2.0

/// A source of random bytes, passed as a parameter: the core never generates random bytes by itself.
public protocol Entropy: Sendable {
    /// Generates random bytes that an attacker cannot predict.
    ///
    /// - Parameter count: The number of bytes.
    /// - Returns: That many bytes.
    func bytes(_ count: Int) -> [UInt8]
}
