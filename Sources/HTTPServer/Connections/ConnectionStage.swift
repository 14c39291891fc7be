// SPDX-License-Identifier: Apache-2.0

/// What a connection waits for, which decides how long it may wait.
enum ConnectionStage: UInt64 {
    /// The first request line and header fields.
    case head
    /// The rest of a request body.
    case body
    /// The handler; ``HTTPListenerLimits/requestDeadline`` applies.
    case handler
    /// The client, which reads the response.
    case answer
    /// The next request after a response.
    case kept
    /// The listener has disconnected it; the library has not closed it yet.
    case cut

    /// Whether the client has no request that is answered or about to be.
    var isIdle: Bool { self == .head || self == .kept }

    /// Whether the client has more to send before it gets a response.
    var isReceiving: Bool { isIdle || self == .body }
}
