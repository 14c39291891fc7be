// SPDX-License-Identifier: Apache-2.0

package import OAuthSystem

/// The state of a device code, with the rules of ``DeviceAuthorizationStore`` for all drivers.
package struct DeviceCodeState: Sendable {
    /// The increase of the interval for a device that polls too soon (RFC 8628 section 3.5).
    package static let slowDownStep: Duration = .seconds(5)
    /// Tolerance for network jitter, which can bring two polls closer together than the device sent them.
    private static let tolerance: Duration = .milliseconds(500)

    /// When the codes expire.
    package var expiresAt: Timestamp
    /// Whether the user denied the device.
    package var isDenied: Bool
    /// The grant, once the user has allowed the device.
    package var grantID: String?
    /// Whether tokens were issued.
    package var isUsed: Bool
    /// The current minimum interval between two polls.
    package var interval: Duration
    /// The time of the last poll.
    package var polledAt: Timestamp?

    /// Makes a state.
    ///
    /// - Parameters:
    ///   - expiresAt: When the codes expire.
    ///   - isDenied: Whether the user denied the device.
    ///   - grantID: The grant, once the user has allowed the device.
    ///   - isUsed: Whether tokens were issued.
    ///   - interval: The current minimum interval between two polls.
    ///   - polledAt: The time of the last poll.
    package init(
        expiresAt: Timestamp,
        isDenied: Bool,
        grantID: String?,
        isUsed: Bool,
        interval: Duration,
        polledAt: Timestamp?
    ) {
        self.expiresAt = expiresAt
        self.isDenied = isDenied
        self.grantID = grantID
        self.isUsed = isUsed
        self.interval = interval
        self.polledAt = polledAt
    }

    /// Whether the user can still allow or deny the device.
    ///
    /// - Parameter now: The time.
    /// - Returns: Whether the user has not decided and the codes have not expired.
    package func isWaiting(at now: Timestamp) -> Bool {
        !isDenied && grantID == nil && now < expiresAt
    }

    /// The result of a poll.
    ///
    /// - Parameter now: The time.
    /// - Returns: The result for the device. With ``DevicePoll/pending`` and ``DevicePoll/slowDown`` the driver stores
    ///   the time, and with the latter also the longer interval.
    package func poll(at now: Timestamp) -> DevicePoll {
        if isDenied { return .denied }
        // A poll after tokens were issued is a replay, even after the code expired.
        if let grantID, isUsed || now < expiresAt { return .allowed(grantID: grantID) }
        guard now < expiresAt else { return .expired }
        guard let polledAt else { return .pending }
        let elapsed = now - polledAt
        // A clock that was set back must not make the device wait.
        return elapsed < .zero || elapsed + Self.tolerance >= interval ? .pending : .slowDown
    }
}
