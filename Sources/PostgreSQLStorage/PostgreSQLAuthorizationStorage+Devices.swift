// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
public import OAuthSystem
public import ServerStorage

extension PostgreSQLAuthorizationStorage {
    /// Stores a pending device authorization; see ``/ServerStorage/DeviceAuthorizationStore/add(_:recording:at:)``.
    ///
    /// - Parameters:
    ///   - device: The device authorization.
    ///   - recording: What is recorded with it.
    ///   - now: The time.
    /// - Returns: `false`, and nothing is stored, when its user code is taken.
    /// - Throws: ``/ServerStorage/StorageError``; also if its device code is already stored.
    public func add(
        _ device: StoredDeviceAuthorization,
        recording: Recording,
        at now: Timestamp
    ) async throws(StorageError) -> Recorded<Bool> {
        let counts = singleUses
        let recorded: Recorded<Bool> = try await pool.write { connection throws(StorageError) in
            // If the user code is taken nothing is recorded: the caller tries again with another one.
            let (own, holder) = (device.deviceCodeHash, try connection.device(ofUserCode: device.userCodeHash))
            if let holder, holder != own { return .done(false) }
            return try connection.recorded(recording, within: counts, at: now) { () throws(StorageError) in
                guard try connection.device(device.deviceCodeHash) != device else { return true }
                try connection.insert(device)
                return true
            }
        }
        counts.add(recording, with: recorded, at: now)
        return recorded
    }

    /// The device authorization of a device code.
    ///
    /// See ``/ServerStorage/DeviceAuthorizationStore/deviceAuthorization(_:)``.
    ///
    /// - Parameter deviceCode: The device code.
    /// - Returns: The device authorization; `nil` if it is unknown.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func deviceAuthorization(
        _ deviceCode: GrantSecret
    ) async throws(StorageError) -> StoredDeviceAuthorization? {
        try await pool.read { connection throws(StorageError) in try connection.device(deviceCode.hash) }
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
        try await pool.read { connection throws(StorageError) in
            try connection.row(
                """
                SELECT device_code_hash, user_code_hash, client_id, scope, dpop_thumbprint, interval, expires_at,
                    resources, authorization_details, grant_id
                FROM device_authorizations
                WHERE user_code_hash = $1 AND expires_at > $2 AND denied_by IS NULL AND allowed_at IS NULL
                """,
                [.hash(userCodeHash), .time(now)],
                read: StoredDeviceAuthorization.init(row:)
            )
        }
    }

    /// Allows a device; see ``/ServerStorage/DeviceAuthorizationStore/allowDevice(_:under:consuming:in:at:)``.
    ///
    /// - Parameters:
    ///   - deviceCodeHash: The hash of the device code.
    ///   - grant: The grant.
    ///   - referenceHash: The hash of the `request_uri` reference.
    ///   - sessionHash: The hash of the cookie of the user's session.
    ///   - now: The time.
    /// - Returns: `false`, without any change, if the device authorization is no longer pending, the request is used, or the
    ///   session has ended.
    /// - Throws: ``/ServerStorage/StorageError``; also if the grant is already stored, or is not that of the device code.
    public func allowDevice(
        _ deviceCodeHash: SecretHash,
        under grant: Grant,
        consuming referenceHash: SecretHash,
        in sessionHash: SecretHash,
        at now: Timestamp
    ) async throws(StorageError) -> Bool {
        try await pool.write { connection throws(StorageError) in
            try connection.lockConsents(of: grant.subject, to: grant.clientID, .shared)
            guard
                let isSignedIn = try connection.lockDevice(deviceCodeHash, in: sessionHash, of: grant.subject, at: now),
                let (grantID, state) = try connection.deviceState(deviceCodeHash)
            else { return false }
            if state.isAllowed {
                let isStored = try connection.grant(grantID) == grant
                return isStored && grant.id.isIdentical(to: grantID)
            }
            guard state.isWaiting(at: now), isSignedIn, try connection.deleteRequest(referenceHash, at: now) else {
                return false
            }
            guard grant.id.isIdentical(to: grantID) else { throw .belongsToAnotherGrant }
            try connection.insert(grant, until: StorageRetention.endOfGrant(after: state.expiresAt))
            try connection.run(
                "UPDATE device_authorizations SET allowed_at = $1 WHERE device_code_hash = $2",
                [.time(now), .hash(deviceCodeHash)]
            )
            return true
        }
    }

    /// Denies a device; see ``/ServerStorage/DeviceAuthorizationStore/denyDevice(_:consuming:by:at:)``.
    ///
    /// - Parameters:
    ///   - deviceCodeHash: The hash of the device code.
    ///   - referenceHash: The hash of the `request_uri` reference.
    ///   - attempt: Names the change.
    ///   - now: The time.
    /// - Returns: `false`, without any change, if the device authorization is no longer pending or the request is used.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func denyDevice(
        _ deviceCodeHash: SecretHash,
        consuming referenceHash: SecretHash,
        by attempt: WriteAttempt,
        at now: Timestamp
    ) async throws(StorageError) -> Bool {
        try await pool.write { connection throws(StorageError) in
            guard let state = try connection.lockedDeviceState(deviceCodeHash)?.state else { return false }
            guard state.isWaiting(at: now), try connection.consumeRequest(referenceHash, by: attempt, at: now) else {
                return state.deniedBy == attempt
            }
            try connection.run(
                "UPDATE device_authorizations SET denied_by = $1 WHERE device_code_hash = $2",
                [.attempt(attempt), .hash(deviceCodeHash)]
            )
            return true
        }
    }

    /// Records a poll of a device; see ``/ServerStorage/DeviceAuthorizationStore/pollDevice(_:recording:at:)``.
    ///
    /// - Parameters:
    ///   - deviceCode: The device code.
    ///   - recording: What is recorded with it.
    ///   - now: The time.
    /// - Returns: The result for the device.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func pollDevice(
        _ deviceCode: GrantSecret,
        recording: Recording,
        at now: Timestamp
    ) async throws(StorageError) -> Recorded<DevicePoll> {
        try await writeRecorded(recording, at: now) { connection throws(StorageError) in
            guard var state = try connection.lockedDeviceState(deviceCode.hash)?.state else { return .unknown }
            let poll = state.poll(by: recording.attempt, at: now)
            state.recordPoll(recording.attempt, as: poll, at: now)
            if let lastPoll = state.lastPoll {
                try connection.run(
                    """
                    UPDATE device_authorizations SET polled_at = $1, polled_by = $2, polled_too_soon = $3, interval = $4
                    WHERE device_code_hash = $5
                    """,
                    [
                        .time(lastPoll.time), .attempt(lastPoll.attempt), .flag(lastPoll.isTooSoon),
                        .duration(state.interval), .hash(deviceCode.hash),
                    ]
                )
            }
            return poll
        }
    }

    /// Consumes a device code; see ``/ServerStorage/DeviceAuthorizationStore/redeemDevice(_:issuing:until:recording:at:)``.
    ///
    /// - Parameters:
    ///   - deviceCode: The device code.
    ///   - refreshToken: The refresh token to issue; `nil` for an access token only.
    ///   - end: When the access token expires.
    ///   - recording: What is recorded with it.
    ///   - now: The time.
    /// - Returns: The outcome.
    /// - Throws: ``/ServerStorage/StorageError``; also if the refresh token belongs to another grant.
    public func redeemDevice(
        _ deviceCode: GrantSecret,
        issuing refreshToken: StoredRefreshToken?,
        until end: Timestamp,
        recording: Recording,
        at now: Timestamp
    ) async throws(StorageError) -> Recorded<CodeRedemption> {
        try await writeRecorded(recording, at: now) { connection throws(StorageError) in
            guard let (grantID, state) = try connection.lockedDeviceState(deviceCode.hash) else { return .unknown }
            let redemption = try connection.redeem(
                state.codeState(isRevoked: try connection.isRevokedUnderLock(grantID)),
                under: grantID,
                issuing: refreshToken,
                until: end,
                by: recording.attempt,
                at: now
            )
            if redemption == .first {
                try connection.run(
                    "UPDATE device_authorizations SET used_by = $1 WHERE device_code_hash = $2",
                    [.attempt(recording.attempt), .hash(deviceCode.hash)]
                )
            }
            return redemption
        }
    }
}

extension PostgreSQLConnection {
    /// Deletes device authorizations that no longer matter; see
    /// ``/ServerStorage/StorageRetention/isOver(_:isAllowed:at:)``.
    func deleteDevices(at now: Timestamp, atMost limit: Int) throws(StorageError) -> Int {
        try run(
            """
            DELETE FROM device_authorizations WHERE device_code_hash = ANY (ARRAY
                (SELECT device_code_hash FROM device_authorizations
                WHERE expires_at <= $1 AND (allowed_at IS NULL OR expires_at <= $2) ORDER BY expires_at LIMIT $3
                FOR UPDATE SKIP LOCKED))
            """,
            [
                .time(now - StorageRetention.afterWaiting), .time(StorageRetention.horizon(at: now)), .count(limit),
            ]
        )
    }

    func device(_ deviceCodeHash: SecretHash) throws(StorageError) -> StoredDeviceAuthorization? {
        try row(
            """
            SELECT device_code_hash, user_code_hash, client_id, scope, dpop_thumbprint, interval, expires_at,
                resources, authorization_details, grant_id
            FROM device_authorizations WHERE device_code_hash = $1
            """,
            [.hash(deviceCodeHash)],
            read: StoredDeviceAuthorization.init(row:)
        )
    }

    /// The state of a device code that no other transaction changes until this one ends.
    fileprivate func lockedDeviceState(
        _ deviceCodeHash: SecretHash
    ) throws(StorageError) -> (grantID: String, state: DeviceCodeState)? {
        let isThere = try row(
            "SELECT 1 FROM device_authorizations WHERE device_code_hash = $1 FOR UPDATE",
            [.hash(deviceCodeHash)]
        ) { _ throws(StorageError) in true }
        return isThere == nil ? nil : try deviceState(deviceCodeHash)
    }

    func deviceState(
        _ deviceCodeHash: SecretHash
    ) throws(StorageError) -> (grantID: String, state: DeviceCodeState)? {
        try row(
            """
            SELECT grant_id, expires_at, denied_by, allowed_at IS NOT NULL, used_by, interval,
                polled_at, polled_by, polled_too_soon
            FROM device_authorizations WHERE device_code_hash = $1
            """,
            [.hash(deviceCodeHash)]
        ) { row throws(StorageError) in
            (try row.text(0), try DeviceCodeState(row: row))
        }
    }

    /// The device code of a user code, also if it was decided or has expired.
    fileprivate func device(ofUserCode userCodeHash: SecretHash) throws(StorageError) -> SecretHash? {
        try row(
            "SELECT device_code_hash FROM device_authorizations WHERE user_code_hash = $1",
            [.hash(userCodeHash)]
        ) { row throws(StorageError) in try row.hash(0) }
    }

    fileprivate func insert(_ device: StoredDeviceAuthorization) throws(StorageError) {
        try run(
            """
            INSERT INTO device_authorizations (device_code_hash, user_code_hash, client_id, scope, dpop_thumbprint,
                interval, expires_at, resources, authorization_details, grant_id)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
            """,
            device.storedValues
        )
    }
}
#endif
