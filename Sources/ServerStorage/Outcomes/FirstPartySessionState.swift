// SPDX-License-Identifier: Apache-2.0

package import OAuthSystem

/// The state of a session before a change, with the rules of ``FirstPartySessionStore`` for all drivers: of many changes
/// from one value one is made (OAuth 2.0 for First-Party Applications section 5.3.1).
package struct FirstPartySessionState: Sendable {
    /// What a driver does.
    package enum Verdict: Sendable {
        /// Makes the change.
        case change
        /// Nothing: this very call was carried out before.
        case done
        /// Nothing: another change came first, or the session is over.
        case lost
    }

    /// The hash of its value.
    package var valueHash: SecretHash
    /// Whether a code was issued.
    package var isFinished: Bool
    /// Whether the grant of that code has been revoked.
    package var isRevoked: Bool
    /// The change that ended it.
    package var endedBy: WriteAttempt?
    /// When it expires.
    package var expiresAt: Timestamp

    /// Makes a state.
    ///
    /// - Parameters:
    ///   - valueHash: The hash of its value.
    ///   - isFinished: Whether a code was issued.
    ///   - isRevoked: Whether the grant of that code has been revoked.
    ///   - endedBy: The change that ended it.
    ///   - expiresAt: When it expires.
    package init(
        valueHash: SecretHash,
        isFinished: Bool,
        isRevoked: Bool,
        endedBy: WriteAttempt?,
        expiresAt: Timestamp
    ) {
        self.valueHash = valueHash
        self.isFinished = isFinished
        self.isRevoked = isRevoked
        self.endedBy = endedBy
        self.expiresAt = expiresAt
    }

    /// Decides about ``FirstPartySessionStore/advance(from:to:recording:at:)``.
    package func advance(from value: SecretHash, to next: SecretHash, at now: Timestamp) -> Verdict {
        guard endedBy == nil, !isFinished else { return .lost }
        return replace(value, with: next, at: now)
    }

    /// Decides about ``FirstPartySessionStore/finish(from:as:issuing:under:judgedBy:recording:at:)``; a finished session
    /// can be finished again, for another request.
    package func finish(from value: SecretHash, as next: SecretHash, at now: Timestamp) -> Verdict {
        guard endedBy == nil, !isRevoked else { return .lost }
        return replace(value, with: next, at: now)
    }

    /// Decides about ``FirstPartySessionStore/leave(_:from:storing:recording:at:)``.
    package func leave(from value: SecretHash, by attempt: WriteAttempt, at now: Timestamp) -> Verdict {
        if endedBy == attempt { return .done }
        guard endedBy == nil, !isFinished, valueHash == value, now < expiresAt else { return .lost }
        return .change
    }

    private func replace(_ value: SecretHash, with next: SecretHash, at now: Timestamp) -> Verdict {
        // The next value is random: if it is stored, this call stored it.
        if valueHash == next { return .done }
        return valueHash == value && now < expiresAt ? .change : .lost
    }
}
