// SPDX-License-Identifier: Apache-2.0

public import DPoP
public import OAuthSystem

/// Everything that an authorization server stores.
///
/// All drivers pass the same test suite, which covers semantics, races, crashes and clocks.
public protocol AuthorizationStorage: ClientStore, UserStore, SessionStore, AuthorizationRequestStore, GrantStore,
    DeviceAuthorizationStore, AccessTokenStore, ConsentStore, AdministrationStore, NonceSecretStore, SigningKeyStore,
    RegistrationTokenStore, ReplayStore
{
    /// Stores the proofs of pushed requests, at most 200,000.
    ///
    /// Any client can push a request, so these proofs are separate from those in the store itself, which need a code or
    /// token. All processes that use the storage share one such store.
    var pushedReplay: any ReplayStore { get }

    /// Deletes expired records that no longer matter.
    ///
    /// These are requests, sessions, codes a day after their expiry, device authorizations, refresh tokens, replay
    /// keys, and grants without any token.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - limit: The maximum number of rows, so that no caller waits long.
    /// - Returns: How many rows were deleted; call again while it equals `limit`.
    /// - Throws: An error of the driver.
    func deleteExpired(at now: Timestamp, limit: Int) async throws -> Int
}
