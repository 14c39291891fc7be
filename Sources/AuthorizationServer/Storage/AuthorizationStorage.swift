// SPDX-License-Identifier: Apache-2.0

public import DPoP
public import JOSE

/// Everything an authorization server keeps, in one store.
///
/// Drivers pass one suite of tests: meaning, races, crashes, clocks.
public protocol AuthorizationStorage: ClientStore, UserStore, SessionStore, AuthorizationRequestStore, GrantStore,
    ConsentStore, NonceSecretStore, SigningKeyStore, RegistrationTokenStore, ReplayStore
{
    /// Deletes what has expired and can no longer matter: requests, sessions, codes a day after their end, refresh tokens,
    /// replay keys, and grants without any token.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - limit: How many rows at most, so that no caller waits long.
    /// - Returns: How many rows were deleted; call again while it equals `limit`.
    /// - Throws: An error of the driver.
    func deleteExpired(at now: Timestamp, limit: Int) async throws -> Int
}
