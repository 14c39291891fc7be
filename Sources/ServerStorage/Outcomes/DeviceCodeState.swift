// SPDX-License-Identifier: Apache-2.0

package import OAuthSystem

/// The state of a device code, with the rules of ``DeviceAuthorizationStore`` for all drivers.
package struct DeviceCodeState: Sendable {
    /// The increase of the interval for a device that polls too soon (RFC 8628 section 3.5).
    private static let slowDownStep: Duration = .seconds(5)
    /// Tolerance for network jitter, which can bring two polls closer together than the device sent them.
    private static let tolerance: Duration = .milliseconds(500)

    /// When the codes expire.
    package var expiresAt: Timestamp
    /// The change with which the user denied the device; `nil` if the user did not.
    package var deniedBy: WriteAttempt?
    /// Whether the user allowed the device.
    package var isAllowed: Bool
    /// The exchange that issued tokens; `nil` if none were issued.
    package var usedBy: WriteAttempt?
    /// The current minimum interval between two polls.
    package var interval: Duration
    /// The last poll while the user had not decided; `nil` before the first one.
    package var lastPoll: Poll?

    /// A poll that was recorded.
    package struct Poll: Sendable {
        /// Its time.
        package var time: Timestamp
        /// Names it.
        package var attempt: WriteAttempt
        /// Whether it came too soon.
        package var isTooSoon: Bool

        /// Makes a poll.
        ///
        /// - Parameters:
        ///   - time: Its time.
        ///   - attempt: Names it.
        ///   - isTooSoon: Whether it came too soon.
        package init(time: Timestamp, attempt: WriteAttempt, isTooSoon: Bool) {
            self.time = time
            self.attempt = attempt
            self.isTooSoon = isTooSoon
        }
    }

    /// Makes a state.
    ///
    /// - Parameters:
    ///   - expiresAt: When the codes expire.
    ///   - deniedBy: The change with which the user denied the device.
    ///   - isAllowed: Whether the user allowed the device.
    ///   - usedBy: The exchange that issued tokens.
    ///   - interval: The current minimum interval between two polls.
    ///   - lastPoll: The last poll while the user had not decided.
    package init(
        expiresAt: Timestamp,
        deniedBy: WriteAttempt?,
        isAllowed: Bool,
        usedBy: WriteAttempt?,
        interval: Duration,
        lastPoll: Poll?
    ) {
        self.expiresAt = expiresAt
        self.deniedBy = deniedBy
        self.isAllowed = isAllowed
        self.usedBy = usedBy
        self.interval = interval
        self.lastPoll = lastPoll
    }

    /// Whether the user can still allow or deny the device.
    ///
    /// - Parameter now: The time.
    /// - Returns: Whether the user has not decided and the codes have not expired.
    package func isWaiting(at now: Timestamp) -> Bool {
        deniedBy == nil && !isAllowed && now < expiresAt
    }

    /// The result of a poll.
    ///
    /// - Parameters:
    ///   - attempt: Names the poll.
    ///   - now: The time.
    /// - Returns: The result for the device. With ``DevicePoll/pending`` and ``DevicePoll/slowDown`` the driver carries
    ///   out ``recordPoll(_:as:at:)``.
    package func poll(by attempt: WriteAttempt, at now: Timestamp) -> DevicePoll {
        if deniedBy != nil { return .denied }
        // A poll after tokens were issued is a replay, even after the code expired.
        if isAllowed, usedBy != nil || now < expiresAt { return .allowed }
        guard now < expiresAt else { return .expired }
        guard let lastPoll else { return .pending }
        // The same poll, sent again.
        if lastPoll.attempt == attempt { return lastPoll.isTooSoon ? .slowDown : .pending }
        let elapsed = now - lastPoll.time
        // A clock that was set back must not make the device wait.
        return elapsed < .zero || elapsed + Self.tolerance >= interval ? .pending : .slowDown
    }

    /// Notes a poll while the user has not decided, and a longer interval if it came too soon.
    ///
    /// Noting the same poll again changes nothing.
    ///
    /// - Parameters:
    ///   - attempt: Names the poll.
    ///   - poll: The result of ``poll(by:at:)``.
    ///   - now: The time.
    package mutating func recordPoll(_ attempt: WriteAttempt, as poll: DevicePoll, at now: Timestamp) {
        guard poll == .pending || poll == .slowDown, lastPoll?.attempt != attempt else { return }
        if poll == .slowDown { interval += Self.slowDownStep }
        lastPoll = Poll(time: now, attempt: attempt, isTooSoon: poll == .slowDown)
    }

    /// The state of the code in the exchange for tokens.
    ///
    /// - Parameter isRevoked: Whether the grant is revoked, or no longer stored.
    /// - Returns: The state.
    package func codeState(isRevoked: Bool) -> CodeState {
        CodeState(expiresAt: expiresAt, usedBy: usedBy, isRevoked: !isAllowed || isRevoked)
    }
}
