// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem
import Synchronization

extension MemoryAuthorizationStorage {
    /// Stores a pending device authorization; see ``DeviceAuthorizationStore/add(_:recording:at:)``.
    ///
    /// - Parameters:
    ///   - device: The device authorization.
    ///   - recording: What is recorded with it.
    ///   - now: The time.
    /// - Returns: `false`, and nothing is stored, when its user code is taken.
    /// - Throws: ``StorageError`` – ``StorageError/Code/alreadyStored`` if its device code is already stored.
    public func add(
        _ device: StoredDeviceAuthorization,
        recording: Recording,
        at now: Timestamp
    ) throws(StorageError) -> Recorded<Bool> {
        // If the user code is taken nothing is recorded: the caller tries again with another one.
        let isTaken: (MemoryTables) -> Bool? = { tables in
            let (own, holder) = (device.deviceCodeHash, tables.userCodes[device.userCodeHash])
            return holder.flatMap { $0 == own ? nil : false }
        }
        return try recorded(recording, at: now, unless: isTaken) { tables throws(StorageError) in
            if let stored = tables.devices[device.deviceCodeHash] {
                guard stored.record == device else { throw StorageError.isStoredOtherwise("the device code") }
                return true
            }
            tables.devices[device.deviceCodeHash] = MemoryTables.Device(device)
            tables.userCodes[device.userCodeHash] = device.deviceCodeHash
            return true
        }
    }

    /// The device authorization of a device code; see ``DeviceAuthorizationStore/deviceAuthorization(_:)``.
    ///
    /// - Parameter deviceCode: The device code.
    /// - Returns: The device authorization; `nil` if it is unknown.
    public func deviceAuthorization(_ deviceCode: GrantSecret) -> StoredDeviceAuthorization? {
        tables.withLock { $0.devices[deviceCode.hash]?.record }
    }

    /// The pending device authorization of a user code; see ``DeviceAuthorizationStore/waitingDevice(ofUserCode:at:)``.
    ///
    /// - Parameters:
    ///   - userCodeHash: The hash of the user code.
    ///   - now: The time.
    /// - Returns: The device authorization; `nil` if it is unknown, decided or expired.
    public func waitingDevice(ofUserCode userCodeHash: SecretHash, at now: Timestamp) -> StoredDeviceAuthorization? {
        tables.withLock { tables in
            tables.userCodes[userCodeHash].flatMap { tables.waitingDevice($0, at: now)?.record }
        }
    }

    /// Allows a device; see ``DeviceAuthorizationStore/allowDevice(_:under:consuming:in:at:)``.
    ///
    /// - Parameters:
    ///   - deviceCodeHash: The hash of the device code.
    ///   - grant: The grant.
    ///   - referenceHash: The hash of the `request_uri` reference.
    ///   - sessionHash: The hash of the cookie of the user's session.
    ///   - now: The time.
    /// - Returns: `false`, without any change, if the device authorization is no longer pending, the request is used, or the
    ///   session has ended.
    /// - Throws: ``StorageError`` – ``StorageError/Code/alreadyStored`` if the grant is already stored,
    ///   ``StorageError/Code/statementFailed`` if it is not that of the device code.
    public func allowDevice(
        _ deviceCodeHash: SecretHash,
        under grant: Grant,
        consuming referenceHash: SecretHash,
        in sessionHash: SecretHash,
        at now: Timestamp
    ) throws(StorageError) -> Bool {
        try tables.withLock { tables throws(StorageError) in
            let key = MemoryTables.Key(grant.id)
            if let device = tables.devices[deviceCodeHash], device.state.isAllowed {
                return MemoryTables.Key(device.record.grantID) == key && tables.grants[key]?.record == grant
            }
            guard let device = tables.waitingDevice(deviceCodeHash, at: now),
                tables.liveRequest(referenceHash, at: now) != nil,
                tables.hasSession(sessionHash, of: grant.subject, at: now)
            else { return false }
            guard MemoryTables.Key(device.record.grantID) == key else { throw .belongsToAnotherGrant }
            guard tables.grants[key] == nil else { throw StorageError.isStoredOtherwise("the grant") }
            tables.requests[referenceHash] = nil
            tables.grants[key] = MemoryTables.GrantEntry(
                record: grant,
                expiresAt: StorageRetention.endOfGrant(after: device.record.expiresAt)
            )
            tables.devices[deviceCodeHash]?.state.isAllowed = true
            return true
        }
    }

    /// Denies a device; see ``DeviceAuthorizationStore/denyDevice(_:consuming:by:at:)``.
    ///
    /// - Parameters:
    ///   - deviceCodeHash: The hash of the device code.
    ///   - referenceHash: The hash of the `request_uri` reference.
    ///   - attempt: Names the change.
    ///   - now: The time.
    /// - Returns: `false`, without any change, if the device authorization is no longer pending or the request is used.
    public func denyDevice(
        _ deviceCodeHash: SecretHash,
        consuming referenceHash: SecretHash,
        by attempt: WriteAttempt,
        at now: Timestamp
    ) -> Bool {
        tables.withLock { tables in
            guard let state = tables.devices[deviceCodeHash]?.state else { return false }
            guard state.isWaiting(at: now), tables.consumeRequest(referenceHash, by: attempt, at: now) else {
                return state.deniedBy == attempt
            }
            tables.devices[deviceCodeHash]?.state.deniedBy = attempt
            return true
        }
    }

    /// Records a poll of a device; see ``DeviceAuthorizationStore/pollDevice(_:recording:at:)``.
    ///
    /// - Parameters:
    ///   - deviceCode: The device code.
    ///   - recording: What is recorded with it.
    ///   - now: The time.
    /// - Returns: The result for the device.
    /// - Throws: Nothing: no error of a driver can occur.
    public func pollDevice(
        _ deviceCode: GrantSecret,
        recording: Recording,
        at now: Timestamp
    ) throws(StorageError) -> Recorded<DevicePoll> {
        try recorded(recording, at: now) { tables throws(StorageError) in
            guard let state = tables.devices[deviceCode.hash]?.state else { return .unknown }
            let poll = state.poll(by: recording.attempt, at: now)
            tables.devices[deviceCode.hash]?.state.recordPoll(recording.attempt, as: poll, at: now)
            return poll
        }
    }

    /// Consumes a device code; see ``DeviceAuthorizationStore/redeemDevice(_:issuing:until:recording:at:)``.
    ///
    /// - Parameters:
    ///   - deviceCode: The device code.
    ///   - refreshToken: The refresh token to issue; `nil` for an access token only.
    ///   - end: When the access token expires.
    ///   - recording: What is recorded with it.
    ///   - now: The time.
    /// - Returns: The outcome.
    /// - Throws: ``StorageError`` – ``StorageError/Code/statementFailed`` when the refresh token belongs to another grant.
    public func redeemDevice(
        _ deviceCode: GrantSecret,
        issuing refreshToken: StoredRefreshToken?,
        until end: Timestamp,
        recording: Recording,
        at now: Timestamp
    ) throws(StorageError) -> Recorded<CodeRedemption> {
        try recorded(recording, at: now) { tables throws(StorageError) in
            guard let device = tables.devices[deviceCode.hash] else { return .unknown }
            let redemption = try tables.redeem(
                device.state.codeState(isRevoked: tables.isRevoked(MemoryTables.Key(device.record.grantID))),
                under: device.record.grantID,
                issuing: refreshToken,
                until: end,
                by: recording.attempt,
                at: now
            )
            if redemption == .first { tables.devices[deviceCode.hash]?.state.usedBy = recording.attempt }
            return redemption
        }
    }
}

extension MemoryTables {
    /// A device authorization and its state.
    struct Device {
        let record: StoredDeviceAuthorization
        var state: DeviceCodeState

        init(_ record: StoredDeviceAuthorization) {
            self.record = record
            state = DeviceCodeState(
                expiresAt: record.expiresAt,
                deniedBy: nil,
                isAllowed: false,
                usedBy: nil,
                interval: record.interval,
                lastPoll: nil
            )
        }
    }

    /// A device authorization that the user can still allow or deny.
    fileprivate func waitingDevice(_ deviceCodeHash: SecretHash, at now: Timestamp) -> Device? {
        devices[deviceCodeHash].flatMap { $0.state.isWaiting(at: now) ? $0 : nil }
    }

    /// Deletes the device authorizations of a client that is removed.
    mutating func removeDevices(of clientID: String) {
        for device in devices.values where device.record.clientID.isIdentical(to: clientID) { remove(device.record) }
    }

    mutating func remove(_ device: StoredDeviceAuthorization) {
        devices[device.deviceCodeHash] = nil
        userCodes[device.userCodeHash] = nil
    }
}
