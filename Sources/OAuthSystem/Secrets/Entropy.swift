// SPDX-License-Identifier: Apache-2.0

/// Where random bytes come from, as a parameter: nothing in the core makes them by itself.
public protocol Entropy: Sendable {
    /// Random bytes that nobody can predict.
    ///
    /// - Parameter count: How many bytes.
    /// - Returns: That many bytes.
    func bytes(_ count: Int) -> [UInt8]
}
