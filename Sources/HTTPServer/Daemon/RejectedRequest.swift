// SPDX-License-Identifier: Apache-2.0

/// A request that the listener answered itself: before its handler was called, or because that was too late.
public struct RejectedRequest: Sendable, Hashable {
    /// The status of the response.
    public let status: Int
    /// Why: one of a few fixed sentences, none of which repeats what was sent.
    public let reason: String
    /// The IP literal of the peer; `nil` if the system did not report it.
    public let peerAddress: String?
}
