// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import StrictJSON

extension StoredDeviceAuthorization {
    /// Its values, in the order in which they are inserted and read.
    package var storedValues: [StoredValue] {
        [
            .hash(deviceCodeHash),
            .hash(userCodeHash),
            .text(clientID),
            .text(scope.description),
            .optional(dpopThumbprint),
            .duration(interval),
            .time(expiresAt),
            .json(.strings(resources)),
            .json(.array(authorizationDetails.map { .object($0.json) })),
            .text(grantID),
        ]
    }

    /// Reads a device authorization.
    ///
    /// - Parameter row: A row of `device_authorizations`.
    /// - Throws: ``StorageError/Code/corrupted``.
    package init(row: some StoredRow) throws(StorageError) {
        self.init(
            deviceCodeHash: try row.hash(0),
            userCodeHash: try row.hash(1),
            grantID: try row.text(9),
            clientID: try row.text(2),
            scope: try row.scope(3),
            dpopThumbprint: try row.optionalThumbprint(4),
            interval: .milliseconds(try row.integer(5)),
            expiresAt: try row.time(6)
        )
        resources = try row.strings(7)
        authorizationDetails = try row.authorizationDetails(8)
    }
}

extension DeviceCodeState {
    /// Reads a state from the columns behind that of the grant: `expires_at`, `denied_by`, whether it is allowed,
    /// `used_by`, `interval`, `polled_at`, `polled_by`, `polled_too_soon`.
    ///
    /// - Parameter row: The row.
    /// - Throws: ``StorageError/Code/corrupted``.
    package init(row: some StoredRow) throws(StorageError) {
        var lastPoll: Poll?
        if let time = try row.optionalTime(6), let attempt = try row.optionalAttempt(7) {
            lastPoll = Poll(time: time, attempt: attempt, isTooSoon: try row.flag(8))
        }
        self.init(
            expiresAt: try row.time(1),
            deniedBy: try row.optionalAttempt(2),
            isAllowed: try row.flag(3),
            usedBy: try row.optionalAttempt(4),
            interval: .milliseconds(try row.integer(5)),
            lastPoll: lastPoll
        )
    }
}
