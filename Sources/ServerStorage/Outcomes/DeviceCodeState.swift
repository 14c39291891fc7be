// SPDX-License-Identifier: Apache-2.0

package import OAuthSystem

/// What a driver knows of a device code: the rules of ``DeviceAuthorizationStore``, for all drivers.
package struct DeviceCodeState: Sendable {
    /// How much longer a device that asked too soon has to wait (RFC 8628 section 3.5).
    package static let slowDownStep: Duration = .seconds(5)
    /// A device that keeps to its interval is not told off for a network that carried one question faster than the other.
    private static let tolerance: Duration = .milliseconds(500)

    /// When the codes can no longer be used.
    package var expiresAt: Timestamp
    /// Whether the person said no.
    package var isDenied: Bool
    /// The grant, once the person said yes.
    package var grantID: String?
    /// Whether tokens were given out.
    package var isSpent: Bool
    /// How long the device has to wait between two questions by now.
    package var interval: Duration
    /// When it asked last.
    package var polledAt: Timestamp?

    /// Gathers what is known.
    ///
    /// - Parameters:
    ///   - expiresAt: When the codes can no longer be used.
    ///   - isDenied: Whether the person said no.
    ///   - grantID: The grant, once the person said yes.
    ///   - isSpent: Whether tokens were given out.
    ///   - interval: How long the device has to wait between two questions by now.
    ///   - polledAt: When it asked last.
    package init(
        expiresAt: Timestamp,
        isDenied: Bool,
        grantID: String?,
        isSpent: Bool,
        interval: Duration,
        polledAt: Timestamp?
    ) {
        self.expiresAt = expiresAt
        self.isDenied = isDenied
        self.grantID = grantID
        self.isSpent = isSpent
        self.interval = interval
        self.polledAt = polledAt
    }

    /// Whether the person can still answer.
    ///
    /// - Parameter now: The time.
    /// - Returns: Whether nobody has, and it is in time.
    package func isWaiting(at now: Timestamp) -> Bool {
        !isDenied && grantID == nil && now < expiresAt
    }

    /// What a question leads to.
    ///
    /// - Parameter now: The time.
    /// - Returns: What the driver answers; with ``DevicePoll/pending`` and ``DevicePoll/slowDown`` it stores the time, and
    ///   with the latter the longer interval.
    package func poll(at now: Timestamp) -> DevicePoll {
        if isDenied { return .denied }
        // Who asks once more after the tokens were given out is a replay, also after the end.
        if let grantID, isSpent || now < expiresAt { return .allowed(grantID: grantID) }
        guard now < expiresAt else { return .expired }
        guard let polledAt else { return .pending }
        let elapsed = now - polledAt
        // A clock that was set back makes nobody wait for it.
        return elapsed < .zero || elapsed + Self.tolerance >= interval ? .pending : .slowDown
    }
}
