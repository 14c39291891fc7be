// SPDX-License-Identifier: Apache-2.0

/// The reasons for which a request was sent again: each counts once, so no server makes a client repeat for ever.
struct SingleRepeats: Sendable {
    private var used: Set<RequestReport.RetryReason> = []

    /// Uses up the repetition for a reason.
    ///
    /// - Parameter reason: The reason.
    /// - Returns: `false` if it was used up before.
    mutating func use(_ reason: RequestReport.RetryReason) -> Bool {
        used.insert(reason).inserted
    }

    /// Allows a repetition for a reason again, because the next request is another one.
    mutating func allow(_ reason: RequestReport.RetryReason) {
        used.remove(reason)
    }
}
