// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem
import Synchronization

extension MemoryAuthorizationStorage {
    /// Stores a pending device authorization; see ``DeviceAuthorizationStore/add(_:)``.
    ///
    /// - Parameter device: The device authorization.
    /// - Returns: `false`, and nothing is stored, when its user code is taken.
    /// - Throws: ``StorageError`` – ``StorageError/Code/alreadyStored`` if its device code is already stored.
    public func add(_ device: StoredDeviceAuthorization) throws(StorageError) -> Bool {
        try tables.withLock { tables throws(StorageError) in
            guard tables.userCodes[device.userCodeHash] == nil else { return false }
            guard tables.devices[device.deviceCodeHash] == nil else {
                throw MemoryTables.alreadyStored("the device code")
            }
            tables.devices[device.deviceCodeHash] = MemoryTables.Device(device)
            tables.userCodes[device.userCodeHash] = device.deviceCodeHash
            return true
        }
    }

    /// The device authorization of a device code; see ``DeviceAuthorizationStore/deviceAuthorization(_:)``.
    ///
    /// - Parameter deviceCodeHash: The hash of the device code.
    /// - Returns: The device authorization; `nil` if it is unknown.
    public func deviceAuthorization(_ deviceCodeHash: SecretHash) -> StoredDeviceAuthorization? {
        tables.withLock { $0.devices[deviceCodeHash]?.record }
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

    /// Allows a device; see ``DeviceAuthorizationStore/allowDevice(_:under:consuming:at:)``.
    ///
    /// - Parameters:
    ///   - deviceCodeHash: The hash of the device code.
    ///   - grant: The grant.
    ///   - referenceHash: The hash of the `request_uri` reference.
    ///   - now: The time.
    /// - Returns: `false`, without any change, if the device authorization is no longer pending or the request is used.
    /// - Throws: ``StorageError`` – ``StorageError/Code/alreadyStored`` if the grant is already stored.
    public func allowDevice(
        _ deviceCodeHash: SecretHash,
        under grant: Grant,
        consuming referenceHash: SecretHash,
        at now: Timestamp
    ) throws(StorageError) -> Bool {
        try tables.withLock { tables throws(StorageError) in
            guard let device = tables.waitingDevice(deviceCodeHash, at: now),
                tables.liveRequest(referenceHash, at: now) != nil
            else { return false }
            let key = MemoryTables.Key(grant.id)
            guard tables.grants[key] == nil else { throw MemoryTables.alreadyStored("the grant") }
            tables.requests[referenceHash] = nil
            tables.grants[key] = MemoryTables.GrantEntry(
                record: grant,
                expiresAt: device.record.expiresAt + StorageRetention.afterEnd
            )
            tables.devices[deviceCodeHash]?.state.grantID = grant.id
            return true
        }
    }

    /// Denies a device; see ``DeviceAuthorizationStore/denyDevice(_:consuming:at:)``.
    ///
    /// - Parameters:
    ///   - deviceCodeHash: The hash of the device code.
    ///   - referenceHash: The hash of the `request_uri` reference.
    ///   - now: The time.
    /// - Returns: `false`, without any change, if the device authorization is no longer pending or the request is used.
    public func denyDevice(_ deviceCodeHash: SecretHash, consuming referenceHash: SecretHash, at now: Timestamp) -> Bool
    {
        tables.withLock { tables in
            guard tables.waitingDevice(deviceCodeHash, at: now) != nil,
                tables.liveRequest(referenceHash, at: now) != nil
            else { return false }
            tables.requests[referenceHash] = nil
            tables.devices[deviceCodeHash]?.state.isDenied = true
            return true
        }
    }

    /// Records a poll of a device; see ``DeviceAuthorizationStore/pollDevice(_:at:)``.
    ///
    /// - Parameters:
    ///   - deviceCodeHash: The hash of the device code.
    ///   - now: The time.
    /// - Returns: The result for the device.
    public func pollDevice(_ deviceCodeHash: SecretHash, at now: Timestamp) -> DevicePoll {
        tables.withLock { tables in
            guard let state = tables.devices[deviceCodeHash]?.state else { return .unknown }
            let poll = state.poll(at: now)
            if poll == .slowDown {
                tables.devices[deviceCodeHash]?.state.interval = state.interval + DeviceCodeState.slowDownStep
            }
            if poll == .pending || poll == .slowDown { tables.devices[deviceCodeHash]?.state.polledAt = now }
            return poll
        }
    }

    /// Consumes a device code; see ``DeviceAuthorizationStore/redeemDevice(_:issuing:until:at:)``.
    ///
    /// - Parameters:
    ///   - deviceCodeHash: The hash of the device code.
    ///   - refreshToken: The refresh token to issue; `nil` for an access token only.
    ///   - end: When the access token expires.
    ///   - now: The time.
    /// - Returns: The outcome.
    /// - Throws: ``StorageError`` – ``StorageError/Code/alreadyStored`` if the refresh token is already stored,
    ///   ``StorageError/Code/statementFailed`` when it belongs to another grant.
    public func redeemDevice(
        _ deviceCodeHash: SecretHash,
        issuing refreshToken: StoredRefreshToken?,
        until end: Timestamp,
        at now: Timestamp
    ) throws(StorageError) -> CodeRedemption {
        try tables.withLock { tables throws(StorageError) in
            guard let state = tables.devices[deviceCodeHash]?.state, let grantID = state.grantID else {
                return .unknown
            }
            let grant = MemoryTables.Key(grantID)
            let redemption = CodeState(
                expiresAt: state.expiresAt,
                isUsed: state.isUsed,
                isRevoked: tables.isRevoked(grant)
            ).redemption(at: now)
            switch redemption {
            case .first:
                if let refreshToken { try tables.add(refreshToken, under: grant) }
                tables.grants[grant]?.expiresAt = refreshToken == nil ? end : nil
                tables.devices[deviceCodeHash]?.state.isUsed = true
            case .replayed:
                tables.grants[grant]?.isRevoked = true
            case .unknown:
                break
            }
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
                isDenied: false,
                grantID: nil,
                isUsed: false,
                interval: record.interval,
                polledAt: nil
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
