// SPDX-License-Identifier: Apache-2.0

package import OAuthSystem

extension RefreshTokenState {
    /// The outcome of a rotation under a grant that is in force.
    ///
    /// - Parameters:
    ///   - token: The hash of a token of the family.
    ///   - successor: The hash of the new token.
    ///   - grace: How long a used token may be exchanged again; zero for never.
    ///   - now: The time.
    /// - Returns: The outcome, which the driver carries out and returns.
    package func rotation(
        of token: SecretHash,
        to successor: SecretHash,
        grace: Duration,
        at now: Timestamp
    ) -> RefreshRotation {
        if let repeated = repeatedRotation(of: token, to: successor) { return repeated }
        if token == current.hash { return now < current.expiresAt ? .rotated : .unknown }
        guard let previous, token == previous.token.hash, previous.reissues < Self.maximumReissues,
            now < previous.token.expiresAt, isInGrace(previous, grace, at: now)
        else { return .reused }
        return .reissued
    }

    /// The outcome of a rotation that was carried out before and is sent again.
    ///
    /// The successor is random, so only the caller that made it can name it.
    ///
    /// - Parameters:
    ///   - token: The hash of the token.
    ///   - successor: The hash of the new token.
    /// - Returns: The outcome of that time; ``RefreshRotation/unknown`` if the client has used its token since, which is
    ///   no reuse; `nil` if the rotation was not carried out.
    package func repeatedRotation(of token: SecretHash, to successor: SecretHash) -> RefreshRotation? {
        guard let previous else { return nil }
        if successor == previous.token.hash { return .unknown }
        guard token == previous.token.hash, successor == current.hash else { return nil }
        return previous.reissues == 0 ? .rotated : .reissued
    }

    /// Makes a successor the current token.
    ///
    /// Carrying out the same rotation again changes nothing.
    ///
    /// - Parameters:
    ///   - successor: The new token.
    ///   - rotation: ``RefreshRotation/rotated`` or ``RefreshRotation/reissued``; any other outcome changes nothing.
    ///   - now: The time.
    package mutating func replaceCurrent(
        with successor: StoredRefreshToken,
        as rotation: RefreshRotation,
        at now: Timestamp
    ) {
        let new = Token(successor)
        guard new.hash != current.hash else { return }
        switch rotation {
        case .rotated: previous = Previous(token: current, usedAt: now, reissues: 0)
        case .reissued: previous?.reissues += 1
        case .reused, .unknown: return
        }
        wasUnbound = wasUnbound || new.dpopThumbprint == nil
        current = new
    }

    /// Whether a used token may still be exchanged again.
    ///
    /// The clocks of two servers differ a little. A clock that was set far back must not extend the grace period.
    private func isInGrace(_ previous: Previous, _ grace: Duration, at now: Timestamp) -> Bool {
        let elapsed = now - previous.usedAt
        return grace > .zero && elapsed <= grace && elapsed >= .zero - grace
    }
}
