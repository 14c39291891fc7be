// SPDX-License-Identifier: Apache-2.0

public import DPoP
public import OAuthSystem

/// Everything an authorization server keeps, in one store.
///
/// Drivers pass one suite of tests: meaning, races, crashes, clocks.
public protocol AuthorizationStorage: ClientStore, UserStore, SessionStore, AuthorizationRequestStore, GrantStore,
    DeviceAuthorizationStore, AccessTokenStore, ConsentStore, AdministrationStore, NonceSecretStore, SigningKeyStore,
    RegistrationTokenStore, ReplayStore
{
    /// Remembers the proofs of pushed requests, which anybody can make: at most 200,000, apart from those that the store itself
    /// remembers, which only who has a code or a token can add to. The same for everyone who uses the storage.
    var pushedReplay: any ReplayStore { get }

    /// Deletes what has expired and can no longer matter: requests, sessions, codes a day after their end, devices,
    /// refresh tokens, replay keys, and grants without any token.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - limit: How many rows at most, so that no caller waits long.
    /// - Returns: How many rows were deleted; call again while it equals `limit`.
    /// - Throws: An error of the driver.
    func deleteExpired(at now: Timestamp, limit: Int) async throws -> Int
}
