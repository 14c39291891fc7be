// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// Everything that an authorization server stores.
///
/// All drivers pass the same test suite, which covers semantics, races, repeats, crashes and clocks. Each request needs
/// one read (``RequestReadStore``) and at most one write; a password is counted before and after it is checked.
public protocol AuthorizationStorage: ClientStore, UserStore, SessionStore, AuthorizationRequestStore, GrantStore,
    DeviceAuthorizationStore, AccessTokenStore, ConsentStore, AdministrationStore, NonceSecretStore, SigningKeyStore,
    RegistrationTokenStore, FirstPartySessionStore, RecordingStore, RequestReadStore, AttemptStore
{
    /// Deletes expired records that no longer matter.
    ///
    /// These are requests, sessions of browsers and of sign-ins without one, codes a day after their expiry, device
    /// authorizations, replay keys, counted attempts, and grants a day after the last of their tokens.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - limit: The maximum number of rows, so that no caller waits long.
    /// - Returns: How many rows were deleted; call again while it equals `limit`.
    /// - Throws: An error of the driver.
    func deleteExpired(at now: Timestamp, limit: Int) async throws -> Int
}
