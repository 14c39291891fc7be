// SPDX-License-Identifier: Apache-2.0

/// A request that the listener answered by itself, so that no handler saw it.
public struct RefusedRequest: Sendable, Hashable {
    /// The status of the answer.
    public let status: Int
    /// Why: one of a few sentences, none of which repeats what was sent.
    public let reason: String
    /// The IP literal of the peer; `nil` if the system did not say.
    public let peerAddress: String?
}
