// SPDX-License-Identifier: Apache-2.0

/// The secrets of nonces, and the replay memory that nonces are made for.
public struct DPoPNonceSecrets: Sendable, Hashable {
    /// The current secret first, then the previous one.
    public var secrets: [DPoPNonceSecret]
    /// The replay memory; `nil` if used proofs are never forgotten before they expire.
    public var epoch: ReplayEpoch?

    /// Makes a value.
    ///
    /// - Parameters:
    ///   - secrets: The current secret first, then the previous one.
    ///   - epoch: The replay memory.
    public init(_ secrets: [DPoPNonceSecret], epoch: ReplayEpoch? = nil) {
        self.secrets = secrets
        self.epoch = epoch
    }
}
