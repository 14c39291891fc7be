// SPDX-License-Identifier: Apache-2.0

/// Why a request of the server got no response.
struct OutgoingFailure: Error {
    enum Kind: Sendable {
        /// The URL may not be asked.
        case forbidden
        /// Too many requests are on their way, or the host or the URL failed just now, or the client asked for too many.
        case busy(retryAfter: Duration)
        /// There was no connection to the host, so that the path of the URL did not matter.
        case unreachable
        /// There was no complete response in time.
        case failed
    }

    let kind: Kind
    /// For the operator; nothing about the network inside may be told to a client.
    let reason: String

    init(_ kind: Kind, _ reason: String) {
        (self.kind, self.reason) = (kind, reason)
    }
}
