// SPDX-License-Identifier: Apache-2.0

import StrictJSON

extension StoredFirstPartySession {
    /// Its values, in the order in which they are inserted.
    package var storedValues: [StoredValue] {
        [
            .text(id),
            .hash(valueHash),
            .text(request.clientID),
            .optional(user?.subject),
            .optional(request.dpopThumbprint),
            .json(.object(request.json)),
            .json(.object(progress)),
            .optional(grantID),
            .time(expiresAt),
        ]
    }

    /// The values that another step of the sign-in replaces, after the identifier.
    package var stepValues: [StoredValue] {
        [
            .text(id),
            .hash(valueHash),
            .optional(user?.subject),
            .json(.object(request.json)),
            .json(.object(progress)),
            .optional(grantID),
            .time(expiresAt),
        ]
    }

    /// Reads a session from the columns `value_hash`, `request`, `progress`, `subject`, `grant_id`, `expires_at`.
    ///
    /// - Parameters:
    ///   - id: Its identifier.
    ///   - row: A row of `first_party_sessions`.
    /// - Throws: ``StorageError/Code/corrupted``.
    package init(_ id: String, row: some StoredRow) throws(StorageError) {
        self.init(
            id: id,
            valueHash: try row.hash(0),
            request: try row.authorizationRequest(1),
            grantID: try row.optionalText(4),
            expiresAt: try row.time(5)
        )
        read(try row.object(2), subject: try row.optionalText(3))
    }
}

extension FirstPartySessionState {
    /// Reads a state from the columns `value_hash`, whether it is finished, `ended_by`, `expires_at`, and whether its grant
    /// is revoked.
    ///
    /// - Parameter row: The row.
    /// - Throws: ``StorageError/Code/corrupted``.
    package init(row: some StoredRow) throws(StorageError) {
        self.init(
            valueHash: try row.hash(0),
            isFinished: try row.flag(1),
            isRevoked: try row.flag(4),
            endedBy: try row.optionalAttempt(2),
            expiresAt: try row.time(3)
        )
    }
}
