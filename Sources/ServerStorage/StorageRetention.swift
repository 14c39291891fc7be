// SPDX-License-Identifier: Apache-2.0

package import OAuthSystem

/// How long expired records must be kept to detect replay.
package enum StorageRetention {
    /// How long codes and grants are kept after they expire.
    ///
    /// A late replay of a code still revokes its grant, and the last access tokens still find their grant.
    package static let afterEnd: Duration = .seconds(86_400)

    /// The expiry up to which codes can be deleted.
    ///
    /// - Parameter now: The time.
    /// - Returns: The time: what expired then or earlier no longer matters.
    package static func horizon(at now: Timestamp) -> Timestamp {
        now - afterEnd
    }

    /// When a grant with a code or a refresh token can be deleted; one with only an access token ends with that.
    ///
    /// - Parameter end: When the code or the token expires.
    /// - Returns: The time; at the end of the range of times at the latest.
    package static func endOfGrant(after end: Timestamp) -> Timestamp {
        end + afterEnd
    }

    /// How long a device authorization that no user allowed is kept after it expires, to report the expiry.
    package static let afterWaiting: Duration = .seconds(600)

    /// Whether a device authorization can be deleted; an allowed one is kept as long as a code.
    ///
    /// - Parameters:
    ///   - end: When its codes expired.
    ///   - isAllowed: Whether a user allowed it.
    ///   - now: The time.
    /// - Returns: Whether it no longer matters.
    package static func isOver(_ end: Timestamp, isAllowed: Bool, at now: Timestamp) -> Bool {
        end <= now - (isAllowed ? afterEnd : afterWaiting)
    }
}
