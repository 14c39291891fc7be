// SPDX-License-Identifier: Apache-2.0

public import DPoP
public import OAuthSystem

/// A proof or an assertion that works once, as it is stored.
public struct SingleUseEntry: Sendable, Hashable {
    /// A set of entries with its own limits: a client that fills one set does not delay the requests of another.
    public enum Pool: Int, Sendable, Hashable, CaseIterable {
        /// Proofs that came with a valid code or token.
        case granted
        /// Proofs that any client can send: of pushed requests, device authorizations and polls of waiting devices.
        case pushed
        /// Assertions (RFC 7523) and request objects (RFC 9101) of clients that an operator registered.
        case assertions
        /// Assertions and request objects of clients that no operator registered; anyone can make many such clients.
        case assertionsOfUnregisteredClients
        /// Responses of a login provider; in a pool of their own, so that no client can keep users from signing in.
        case loginResponses

        /// Whether it holds proofs, which a new replay memory forgets; it keeps the entries of all other pools.
        package var holdsProofs: Bool { self == .granted || self == .pushed }
    }

    /// What identifies the proof or the assertion.
    public var key: ReplayKey
    /// Until when it is stored; it is rejected as too old from then on.
    public var end: Timestamp
    /// The set that it counts in.
    public var pool: Pool
    /// The replay memory that its nonce was made for; `nil` if it does not depend on one.
    public var epoch: ReplayEpoch?

    /// Makes an entry.
    ///
    /// - Parameters:
    ///   - key: What identifies the proof or the assertion.
    ///   - end: Until when it is stored.
    ///   - pool: The set that it counts in.
    ///   - epoch: The replay memory that its nonce was made for.
    public init(key: ReplayKey, end: Timestamp, pool: Pool, epoch: ReplayEpoch? = nil) {
        self.key = key
        self.end = end
        self.pool = pool
        self.epoch = epoch
    }
}
