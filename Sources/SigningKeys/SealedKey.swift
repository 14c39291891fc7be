// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// A private key as a ``KeySealer`` made it: hidden or not, it does not print.
public struct SealedKey: Sendable, Hashable, RedactedSecret {
    /// What was made, to be stored; empty when the key was forgotten.
    public let bytes: [UInt8]

    /// Takes what was stored.
    ///
    /// - Parameter bytes: What a ``KeySealer`` made.
    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Nothing: the key was forgotten.
    public static let forgotten = SealedKey([])

    /// Compares in a time that does not tell where two values differ.
    ///
    /// - Parameters:
    ///   - left: One key.
    ///   - right: The other one.
    /// - Returns: Whether both are the same, byte by byte.
    public static func == (left: SealedKey, right: SealedKey) -> Bool {
        ConstantTime.areEqual(left.bytes, right.bytes)
    }
}
