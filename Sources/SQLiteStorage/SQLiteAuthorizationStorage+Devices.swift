// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthCore
public import OAuthSystem
public import ServerStorage
import StrictJSON

extension SQLiteAuthorizationStorage {
    /// Stores a pending device authorization; see ``/ServerStorage/DeviceAuthorizationStore/add(_:)``.
    ///
    /// - Parameter device: The device authorization.
    /// - Returns: `false`, and nothing is stored, when its user code is taken.
    /// - Throws: ``/ServerStorage/StorageError``; also if its device code is already stored.
    public func add(_ device: StoredDeviceAuthorization) async throws(StorageError) -> Bool {
        try await writer.write { connection throws(StorageError) in
            try connection.run(
                """
                INSERT INTO device_authorizations
                    (device_code_hash, user_code_hash, client_id, scope, dpop_thumbprint, interval, expires_at,
                        resources, authorization_details)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (user_code_hash) DO NOTHING
                """,
                [
                    .hash(device.deviceCodeHash),
                    .hash(device.userCodeHash),
                    .text(device.clientID),
                    .text(device.scope.description),
                    .optional(device.dpopThumbprint),
                    .duration(device.interval),
                    .time(device.expiresAt),
                    .json(.strings(device.resources)),
                    .json(.array(device.authorizationDetails.map { .object($0.json) })),
                ]
            ) == 1
        }
    }

    /// The device authorization of a device code.
    ///
    /// See ``/ServerStorage/DeviceAuthorizationStore/deviceAuthorization(_:)``.
    ///
    /// - Parameter deviceCodeHash: The hash of the device code.
    /// - Returns: The device authorization; `nil` if it is unknown.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func deviceAuthorization(
        _ deviceCodeHash: SecretHash
    ) async throws(StorageError) -> StoredDeviceAuthorization? {
        try await reader.perform { connection throws(StorageError) in
            try connection.row(
                """
                SELECT device_code_hash, user_code_hash, client_id, scope, dpop_thumbprint, interval, expires_at,
                    resources, authorization_details
                FROM device_authorizations WHERE device_code_hash = ?
                """,
                [.hash(deviceCodeHash)],
                read: StoredDeviceAuthorization.init(row:)
            )
        }
    }

    /// The pending device authorization of a user code.
    ///
    /// See ``/ServerStorage/DeviceAuthorizationStore/waitingDevice(ofUserCode:at:)``.
    ///
    /// - Parameters:
    ///   - userCodeHash: The hash of the user code.
    ///   - now: The time.
    /// - Returns: The device authorization; `nil` if it is unknown, decided or expired.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func waitingDevice(
        ofUserCode userCodeHash: SecretHash,
        at now: Timestamp
    ) async throws(StorageError) -> StoredDeviceAuthorization? {
        try await reader.perform { connection throws(StorageError) in
            try connection.row(
                """
                SELECT device_code_hash, user_code_hash, client_id, scope, dpop_thumbprint, interval, expires_at,
                    resources, authorization_details
                FROM device_authorizations
                WHERE user_code_hash = ? AND expires_at > ? AND denied_at IS NULL AND grant_id IS NULL
                """,
                [.hash(userCodeHash), .time(now)],
                read: StoredDeviceAuthorization.init(row:)
            )
        }
    }

    /// Allows a device; see ``/ServerStorage/DeviceAuthorizationStore/allowDevice(_:under:consuming:at:)``.
    ///
    /// - Parameters:
    ///   - deviceCodeHash: The hash of the device code.
    ///   - grant: The grant.
    ///   - referenceHash: The hash of the `request_uri` reference.
    ///   - now: The time.
    /// - Returns: `false`, without any change, if the device authorization is no longer pending or the request is used.
    /// - Throws: ``/ServerStorage/StorageError``; also if the grant is already stored.
    public func allowDevice(
        _ deviceCodeHash: SecretHash,
        under grant: Grant,
        consuming referenceHash: SecretHash,
        at now: Timestamp
    ) async throws(StorageError) -> Bool {
        try await writer.write { connection throws(StorageError) in
            guard let state = try connection.deviceState(deviceCodeHash), state.isWaiting(at: now),
                try connection.consumeRequest(referenceHash, at: now)
            else { return false }
            try connection.insert(grant, until: state.expiresAt + StorageRetention.afterEnd)
            try connection.run(
                "UPDATE device_authorizations SET grant_id = ? WHERE device_code_hash = ?",
                [.text(grant.id), .hash(deviceCodeHash)]
            )
            return true
        }
    }

    /// Denies a device; see ``/ServerStorage/DeviceAuthorizationStore/denyDevice(_:consuming:at:)``.
    ///
    /// - Parameters:
    ///   - deviceCodeHash: The hash of the device code.
    ///   - referenceHash: The hash of the `request_uri` reference.
    ///   - now: The time.
    /// - Returns: `false`, without any change, if the device authorization is no longer pending or the request is used.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func denyDevice(
        _ deviceCodeHash: SecretHash,
        consuming referenceHash: SecretHash,
        at now: Timestamp
    ) async throws(StorageError) -> Bool {
        try await writer.write { connection throws(StorageError) in
            guard let state = try connection.deviceState(deviceCodeHash), state.isWaiting(at: now),
                try connection.consumeRequest(referenceHash, at: now)
            else { return false }
            try connection.run(
                "UPDATE device_authorizations SET denied_at = ? WHERE device_code_hash = ?",
                [.time(now), .hash(deviceCodeHash)]
            )
            return true
        }
    }

    /// Records a poll of a device; see ``/ServerStorage/DeviceAuthorizationStore/pollDevice(_:at:)``.
    ///
    /// - Parameters:
    ///   - deviceCodeHash: The hash of the device code.
    ///   - now: The time.
    /// - Returns: The result for the device.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func pollDevice(_ deviceCodeHash: SecretHash, at now: Timestamp) async throws(StorageError) -> DevicePoll {
        try await writer.write { connection throws(StorageError) in
            guard let state = try connection.deviceState(deviceCodeHash) else { return .unknown }
            let poll = state.poll(at: now)
            if poll == .pending || poll == .slowDown {
                let step: Duration = poll == .slowDown ? DeviceCodeState.slowDownStep : .zero
                try connection.run(
                    "UPDATE device_authorizations SET polled_at = ?, interval = ? WHERE device_code_hash = ?",
                    [.time(now), .duration(state.interval + step), .hash(deviceCodeHash)]
                )
            }
            return poll
        }
    }

    /// Consumes a device code; see ``/ServerStorage/DeviceAuthorizationStore/redeemDevice(_:issuing:until:at:)``.
    ///
    /// - Parameters:
    ///   - deviceCodeHash: The hash of the device code.
    ///   - refreshToken: The refresh token to issue; `nil` for an access token only.
    ///   - end: When the access token expires.
    ///   - now: The time.
    /// - Returns: The outcome.
    /// - Throws: ``/ServerStorage/StorageError``; also if the refresh token is already stored or belongs to another grant.
    public func redeemDevice(
        _ deviceCodeHash: SecretHash,
        issuing refreshToken: StoredRefreshToken?,
        until end: Timestamp,
        at now: Timestamp
    ) async throws(StorageError) -> CodeRedemption {
        try await writer.write { connection throws(StorageError) in
            guard let state = try connection.deviceState(deviceCodeHash), let grantID = state.grantID else {
                return .unknown
            }
            let redemption = CodeState(
                expiresAt: state.expiresAt,
                isUsed: state.isUsed,
                isRevoked: try !connection.isInForce(grantID)
            ).redemption(at: now)
            switch redemption {
            case .first:
                try connection.run(
                    "UPDATE device_authorizations SET spent_at = ? WHERE device_code_hash = ?",
                    [.time(now), .hash(deviceCodeHash)]
                )
                try connection.run(
                    "UPDATE grants SET expires_at = ? WHERE id = ?",
                    [refreshToken == nil ? .time(end) : .null, .text(grantID)]
                )
                if let refreshToken { try connection.insert(refreshToken, under: grantID) }
            case .replayed:
                try connection.revokeGrant(grantID, at: now)
            case .unknown:
                break
            }
            return redemption
        }
    }
}

extension SQLiteConnection {
    /// Deletes device authorizations that no longer matter; see
    /// ``/ServerStorage/StorageRetention/isOver(_:isAllowed:at:)``.
    func deleteDevices(at now: Timestamp, atMost limit: Int) throws(StorageError) -> Int {
        try run(
            """
            DELETE FROM device_authorizations WHERE device_code_hash IN
                (SELECT device_code_hash FROM device_authorizations
                WHERE expires_at <= ?1 AND (grant_id IS NULL OR expires_at <= ?2) ORDER BY expires_at LIMIT ?3)
            """,
            [
                .time(now - StorageRetention.afterWaiting), .time(StorageRetention.horizon(at: now)), .count(limit),
            ]
        )
    }

    fileprivate func deviceState(_ deviceCodeHash: SecretHash) throws(StorageError) -> DeviceCodeState? {
        try row(
            """
            SELECT expires_at, denied_at IS NOT NULL, grant_id, spent_at IS NOT NULL, interval, polled_at
            FROM device_authorizations WHERE device_code_hash = ?
            """,
            [.hash(deviceCodeHash)]
        ) { row throws(StorageError) in
            DeviceCodeState(
                expiresAt: try row.time(0),
                isDenied: try row.flag(1),
                grantID: try row.optionalText(2),
                isUsed: try row.flag(3),
                interval: .milliseconds(try row.integer(4)),
                polledAt: try row.optionalTime(5)
            )
        }
    }

    fileprivate func isInForce(_ grantID: String) throws(StorageError) -> Bool {
        try row("SELECT 1 FROM grants WHERE id = ? AND revoked_at IS NULL", [.text(grantID)]) {
            _ throws(StorageError) in
            true
        } ?? false
    }
}

extension StoredDeviceAuthorization {
    fileprivate init(row: SQLiteRow) throws(StorageError) {
        self.init(
            deviceCodeHash: try row.hash(0),
            userCodeHash: try row.hash(1),
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
#endif
