// SPDX-License-Identifier: Apache-2.0

/// What is stored with the change that it belongs to, or not at all.
public struct Recording: Sendable, Hashable {
    /// Names the change, so that sending it again gives the same answer.
    public var attempt: WriteAttempt
    /// The client assertion of the request (RFC 7523 section 3).
    public var assertion: SingleUseEntry?
    /// The DPoP proof of the request (RFC 9449 section 11.1).
    public var proof: SingleUseEntry?
    /// The opaque access token of the response.
    public var accessToken: StoredAccessToken?

    /// Makes a recording without entries.
    ///
    /// - Parameter attempt: Names the change.
    public init(_ attempt: WriteAttempt) {
        self.attempt = attempt
    }

    /// Whether there is nothing to store.
    package var isEmpty: Bool { entries.isEmpty && accessToken == nil }

    /// The entries in the order in which they are stored.
    package var entries: [SingleUseEntry] { [assertion, proof].compactMap(\.self) }
}
