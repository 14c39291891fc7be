// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// A private key that a ``KeyWrapper`` wrapped, encrypted or not; it is never printed.
public struct WrappedKey: Sendable, Hashable, RedactedSecret {
    /// The bytes to store; empty if the key was deleted.
    public let bytes: [UInt8]

    /// Wraps stored bytes.
    ///
    /// - Parameter bytes: The bytes that a ``KeyWrapper`` made.
    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// No bytes: the key was deleted.
    public static let forgotten = WrappedKey([])

    /// Compares in constant time.
    ///
    /// - Parameters:
    ///   - left: One key.
    ///   - right: The other one.
    /// - Returns: Whether both are equal, byte by byte.
    public static func == (left: WrappedKey, right: WrappedKey) -> Bool {
        ConstantTime.areEqual(left.bytes, right.bytes)
    }
}
