// SPDX-License-Identifier: Apache-2.0

package import OAuthSystem

/// How long what has expired can still matter.
package enum StorageRetention {
    /// How long codes and refresh tokens are kept after their end.
    ///
    /// A code that is replayed late still revokes its grant, and access tokens given out last find their grant.
    package static let afterEnd: Duration = .seconds(86_400)

    /// The end before which codes and refresh tokens can be deleted.
    ///
    /// - Parameter now: The time.
    /// - Returns: What ended then or earlier no longer matters.
    package static func horizon(at now: Timestamp) -> Timestamp {
        now - afterEnd
    }

    /// How long a device that nobody allowed is kept after its end, to be told so.
    package static let afterWaiting: Duration = .seconds(600)

    /// Whether a device can be deleted: one that was allowed is kept as codes are.
    ///
    /// - Parameters:
    ///   - end: When its codes ended.
    ///   - isAllowed: Whether a person allowed it.
    ///   - now: The time.
    /// - Returns: Whether it no longer matters.
    package static func isOver(_ end: Timestamp, isAllowed: Bool, at now: Timestamp) -> Bool {
        end <= now - (isAllowed ? afterEnd : afterWaiting)
    }
}
