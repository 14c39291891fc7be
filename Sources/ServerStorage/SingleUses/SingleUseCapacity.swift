// SPDX-License-Identifier: Apache-2.0

/// How many entries the pools of single uses hold in a database; see ``SingleUseEntry/Pool``.
package struct SingleUseCapacity: Sendable {
    /// The limit of proofs that any client can send.
    package static let pushed = 200_000

    /// The limit of proofs that came with a code or token, and that of each other pool but ``pushed``.
    package var granted: Int
    /// The limit for one key or client.
    package var perOwner: Int

    /// Makes limits.
    ///
    /// - Parameters:
    ///   - granted: The limit of proofs that came with a code or token, and that of each other pool but ``pushed``.
    ///   - perOwner: The limit for one key or client.
    package init(granted: Int = 1_000_000, perOwner: Int = 50_000) {
        self.granted = granted
        self.perOwner = perOwner
    }

    /// The limit of a pool.
    ///
    /// - Parameter pool: The pool.
    /// - Returns: How many entries it holds.
    package func all(_ pool: SingleUseEntry.Pool) -> Int {
        pool == .pushed ? Self.pushed : granted
    }
}
