// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// Where devices wait for a person's answer (RFC 8628).
///
/// As with codes, reading consumes nothing, and each verb that changes something is one transaction with one winner.
public protocol DeviceAuthorizationStore: Sendable {
    /// Stores a device that waits.
    ///
    /// - Parameter device: The device.
    /// - Returns: `false`, and nothing is stored, when its user code is taken.
    /// - Throws: An error of the driver; also when its device code is stored already.
    func add(_ device: StoredDeviceAuthorization) async throws -> Bool

    /// The device of a device code; one that was answered or has expired is found too.
    ///
    /// - Parameter deviceCodeHash: The hash of the device code.
    /// - Returns: The device; `nil` when it is unknown.
    /// - Throws: An error of the driver.
    func deviceAuthorization(_ deviceCodeHash: SecretHash) async throws -> StoredDeviceAuthorization?

    /// The device of a user code, while it waits.
    ///
    /// - Parameters:
    ///   - userCodeHash: The hash of the user code.
    ///   - now: The time.
    /// - Returns: The device; `nil` when it is unknown, answered or expired.
    /// - Throws: An error of the driver.
    func waitingDevice(
        ofUserCode userCodeHash: SecretHash,
        at now: Timestamp
    ) async throws
        -> StoredDeviceAuthorization?

    /// Stores the grant of a device and spends the authorization request that the person answered.
    ///
    /// - Parameters:
    ///   - deviceCodeHash: The hash of the device code.
    ///   - grant: The grant.
    ///   - handleHash: The hash of the handle of the request.
    ///   - now: The time.
    /// - Returns: `false`, and nothing has changed, when the device does not wait any more or the request is spent.
    /// - Throws: An error of the driver.
    func allowDevice(
        _ deviceCodeHash: SecretHash,
        under grant: Grant,
        spending handleHash: SecretHash,
        at now: Timestamp
    ) async throws -> Bool

    /// Refuses a device for good and spends the authorization request that the person answered.
    ///
    /// - Parameters:
    ///   - deviceCodeHash: The hash of the device code.
    ///   - handleHash: The hash of the handle of the request.
    ///   - now: The time.
    /// - Returns: `false`, and nothing has changed, when the device does not wait any more or the request is spent.
    /// - Throws: An error of the driver.
    func denyDevice(
        _ deviceCodeHash: SecretHash,
        spending handleHash: SecretHash,
        at now: Timestamp
    ) async throws -> Bool

    /// A device asks whether the person has answered; when, and how long it has to wait from now on, is remembered.
    ///
    /// - Parameters:
    ///   - deviceCodeHash: The hash of the device code.
    ///   - now: The time.
    /// - Returns: What it is told.
    /// - Throws: An error of the driver.
    func pollDevice(_ deviceCodeHash: SecretHash, at now: Timestamp) async throws -> DevicePoll

    /// Spends a device code that was allowed, and stores the refresh token that is given out for it.
    ///
    /// - Parameters:
    ///   - deviceCodeHash: The hash of the device code.
    ///   - refreshToken: What is given out; `nil` for an access token only.
    ///   - end: When the access token ends.
    ///   - now: The time.
    /// - Returns: What became of it; a replay revokes the grant in the same transaction.
    /// - Throws: An error of the driver.
    func redeemDevice(
        _ deviceCodeHash: SecretHash,
        issuing refreshToken: StoredRefreshToken?,
        until end: Timestamp,
        at now: Timestamp
    ) async throws -> CodeRedemption
}
