// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// A store for device authorizations that wait for the user's decision (RFC 8628).
///
/// As with codes, reading consumes nothing, and each function that changes something is one transaction with one
/// winner.
public protocol DeviceAuthorizationStore: Sendable {
    /// Stores a pending device authorization.
    ///
    /// Again: `true` if the same device authorization is stored.
    ///
    /// - Parameters:
    ///   - device: The device authorization.
    ///   - recording: What is recorded with it.
    ///   - now: The time.
    /// - Returns: `false`, without storing or recording anything, if its user code is taken.
    /// - Throws: An error of the driver; also if its device code is already stored with another user code.
    func add(
        _ device: StoredDeviceAuthorization,
        recording: Recording,
        at now: Timestamp
    ) async throws -> Recorded<Bool>

    /// The device authorization of a device code, also if it was decided or has expired.
    ///
    /// - Parameter deviceCode: The device code.
    /// - Returns: The device authorization; `nil` if it is unknown.
    /// - Throws: An error of the driver.
    func deviceAuthorization(_ deviceCode: GrantSecret) async throws -> StoredDeviceAuthorization?

    /// The device authorization of a user code, while it is pending.
    ///
    /// - Parameters:
    ///   - userCodeHash: The hash of the user code.
    ///   - now: The time.
    /// - Returns: The device authorization; `nil` if it is unknown, decided or expired.
    /// - Throws: An error of the driver.
    func waitingDevice(
        ofUserCode userCodeHash: SecretHash,
        at now: Timestamp
    ) async throws
        -> StoredDeviceAuthorization?

    /// Stores the grant of a device and consumes the authorization request that the user allowed.
    ///
    /// The same transaction checks the session in which the user allowed it, and the account of its user, who must be that
    /// of the grant. Again: `true` if the device was allowed with this grant.
    ///
    /// - Parameters:
    ///   - deviceCodeHash: The hash of the device code.
    ///   - grant: The grant; its identifier is ``StoredDeviceAuthorization/grantID``.
    ///   - referenceHash: The hash of the `request_uri` reference.
    ///   - sessionHash: The hash of the cookie of the user's session.
    ///   - now: The time.
    /// - Returns: `false`, without any change, if the device authorization is no longer pending, the request is used, or
    ///   the session has ended or is not that of a user with an account.
    /// - Throws: An error of the driver.
    func allowDevice(
        _ deviceCodeHash: SecretHash,
        under grant: Grant,
        consuming referenceHash: SecretHash,
        in sessionHash: SecretHash,
        at now: Timestamp
    ) async throws -> Bool

    /// Denies a device and consumes the authorization request that the user denied.
    ///
    /// Again: `true` for the same attempt, until the request expires.
    ///
    /// - Parameters:
    ///   - deviceCodeHash: The hash of the device code.
    ///   - referenceHash: The hash of the `request_uri` reference.
    ///   - attempt: Names the change.
    ///   - now: The time.
    /// - Returns: `false`, without any change, if the device authorization is no longer pending or the request is used.
    /// - Throws: An error of the driver.
    func denyDevice(
        _ deviceCodeHash: SecretHash,
        consuming referenceHash: SecretHash,
        by attempt: WriteAttempt,
        at now: Timestamp
    ) async throws -> Bool

    /// Records a poll of a device: its time, and the interval that the device must keep from now on.
    ///
    /// Again: the same result for the same attempt, and no longer interval.
    ///
    /// - Parameters:
    ///   - deviceCode: The device code.
    ///   - recording: What is recorded with it.
    ///   - now: The time.
    /// - Returns: The result for the device.
    /// - Throws: An error of the driver.
    func pollDevice(
        _ deviceCode: GrantSecret,
        recording: Recording,
        at now: Timestamp
    ) async throws -> Recorded<DevicePoll>

    /// Consumes a device code that the user allowed, and stores the refresh token that is issued for it.
    ///
    /// Again: ``CodeRedemption/first`` for the attempt that used it.
    ///
    /// - Parameters:
    ///   - deviceCode: The device code.
    ///   - refreshToken: The refresh token to issue; `nil` for an access token only.
    ///   - end: When the access token expires.
    ///   - recording: What is recorded with it.
    ///   - now: The time.
    /// - Returns: The outcome; a replay revokes the grant in the same transaction.
    /// - Throws: An error of the driver.
    func redeemDevice(
        _ deviceCode: GrantSecret,
        issuing refreshToken: StoredRefreshToken?,
        until end: Timestamp,
        recording: Recording,
        at now: Timestamp
    ) async throws -> Recorded<CodeRedemption>
}
