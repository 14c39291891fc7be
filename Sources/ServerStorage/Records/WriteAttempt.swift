// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// Names one change, so that a storage that is sent the same change again knows it and gives the same answer.
///
/// A driver that lost its connection does not know whether a change was committed. It sends it again with the same
/// values; this one is random and stored with the change.
public struct WriteAttempt: Sendable, Hashable {
    /// 64 random bits.
    public let id: Int64

    /// Wraps a stored value.
    ///
    /// - Parameter id: 64 random bits.
    public init(id: Int64) {
        self.id = id
    }

    /// Names a new change.
    ///
    /// - Parameter entropy: The source of random bytes.
    public init(entropy: any Entropy) {
        self.init(id: Int64(bitPattern: entropy.bytes(8).reduce(0) { $0 << 8 | UInt64($1) }))
    }
}
