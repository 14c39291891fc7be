// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// Identifies an epoch of a replay store: a new one starts whenever records of used proofs may have been lost.
///
/// Nonces are made for one epoch (``DPoPNonceIssuer``), and a proof is recorded only in the epoch that its nonce was
/// made for. So a proof whose record was lost cannot be used again.
public struct ReplayEpoch: Sendable, Hashable {
    /// The size of the name in bytes.
    public static let size = 16

    /// The name, 16 random bytes.
    public let bytes: [UInt8]
    /// Since when used proofs are remembered.
    ///
    /// A proof without a nonce is accepted only if it was made later.
    public let since: Timestamp

    /// Wraps stored values.
    ///
    /// - Parameters:
    ///   - bytes: The name, 16 random bytes.
    ///   - since: Since when used proofs are remembered.
    public init(bytes: [UInt8], since: Timestamp) {
        self.bytes = bytes
        self.since = since
    }

    /// Names a memory that starts now.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - entropy: The source of random bytes.
    public init(startingAt now: Timestamp, entropy: any Entropy) {
        self.init(bytes: entropy.bytes(Self.size), since: now)
    }

    /// Compares the names alone: they are random.
    ///
    /// - Parameters:
    ///   - left: One memory.
    ///   - right: The other one.
    /// - Returns: Whether both are the same memory.
    public static func == (left: ReplayEpoch, right: ReplayEpoch) -> Bool {
        left.bytes == right.bytes
    }

    /// Hashes the name.
    ///
    /// - Parameter hasher: The hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(bytes)
    }
}
