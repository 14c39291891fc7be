// SPDX-License-Identifier: Apache-2.0

/// A request that the listener answers itself: no handler got it, or its handler was too late or interrupted by a stop.
public struct RejectedRequest: Sendable, Hashable {
    /// The status of the response.
    public let status: Int
    /// Why: one of a few fixed sentences, none of which repeats what was sent.
    public let reason: String
    /// The IP literal of the peer; `nil` if the system did not report it.
    public let peerAddress: String?
}
