// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage

/// A request that a guard rejected.
public struct Rejection: Sendable {
    /// The response to send, with its challenges.
    public let response: HTTPResponse
    /// Why, for the log of the API; the client learns less.
    public let reason: RejectionReason
}
