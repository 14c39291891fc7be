// SPDX-License-Identifier: Apache-2.0

/// Why a listener disconnected a client.
///
/// A connection that was kept for another request and got none in time has no reason here: that is how most end.
public enum ConnectionCutReason: String, CaseIterable, Sendable {
    /// The header fields took longer than ``HTTPListenerLimits/headTimeout``.
    case head
    /// The body took longer than ``HTTPListenerLimits/bodyTimeout``.
    case body
    /// The client took longer than ``HTTPListenerLimits/answerTimeout`` to read a response.
    case answer
    /// The client closed its side before its request was complete.
    case closed
    /// Its address has more than ``HTTPListenerLimits/connectionsPerPeer``.
    case peer
    /// It was kept for another request, and a new connection waited while ``HTTPListener/connectionLimit`` was reached.
    case full
}
