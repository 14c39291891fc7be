// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// A store for grants, codes and refresh tokens.
///
/// Reading consumes nothing. A caller runs all checks on what it read; then one function changes the state and returns
/// the result, in one transaction. If several callers race, exactly one wins. An operation that a crash interrupts did
/// not happen. Once a function returns, its change is durable.
public protocol GrantStore: Sendable {
    /// Stores a grant and its code and consumes the authorization request.
    ///
    /// - Parameters:
    ///   - code: The code.
    ///   - grant: Its grant.
    ///   - referenceHash: The hash of the `request_uri` reference of the request.
    ///   - decision: The consent that it is based on, which is stored or checked in the same transaction.
    ///   - now: The time.
    /// - Returns: The outcome; unless it is ``CodeIssuance/issued``, nothing has changed.
    /// - Throws: An error of the driver.
    func issue(
        _ code: StoredCode,
        under grant: Grant,
        consuming referenceHash: SecretHash,
        by decision: ConsentDecision,
        at now: Timestamp
    ) async throws -> CodeIssuance

    /// Stores a grant and its code for a request that was answered at once and never stored.
    ///
    /// The same transaction checks what the response is based on: the session, the account of its user, who must be
    /// that of the grant, and the consent.
    ///
    /// - Parameters:
    ///   - code: The code.
    ///   - grant: Its grant.
    ///   - sessionHash: The hash of the cookie of the user's session.
    ///   - consent: The consent that must be stored, with that scope or more.
    ///   - now: The time.
    /// - Returns: The outcome; unless it is ``CodeIssuance/issued``, nothing has changed.
    /// - Throws: An error of the driver.
    func issue(
        _ code: StoredCode,
        under grant: Grant,
        in sessionHash: SecretHash,
        by consent: StoredConsent,
        at now: Timestamp
    ) async throws -> CodeIssuance

    /// Stores a grant that has only an access token and that is not an ``ClientCredentialsGrantID``.
    ///
    /// - Parameters:
    ///   - grant: The grant.
    ///   - end: When the access token expires; the grant is deleted some time later.
    /// - Throws: An error of the driver.
    func record(_ grant: Grant, until end: Timestamp) async throws

    /// The data of a code, also if it is used or expired.
    ///
    /// - Parameter codeHash: The hash of the code.
    /// - Returns: The code; `nil` if it is unknown.
    /// - Throws: An error of the driver.
    func code(_ codeHash: SecretHash) async throws -> StoredCode?

    /// Consumes a code and stores the refresh token that is issued for it.
    ///
    /// - Parameters:
    ///   - codeHash: The hash of the code.
    ///   - refreshToken: The refresh token to issue; `nil` for an access token only.
    ///   - now: The time.
    /// - Returns: The outcome; a replay revokes the grant in the same transaction.
    /// - Throws: An error of the driver.
    func redeem(
        _ codeHash: SecretHash,
        issuing refreshToken: StoredRefreshToken?,
        at now: Timestamp
    ) async throws -> CodeRedemption

    /// A refresh token, also if it is used or expired.
    ///
    /// - Parameter tokenHash: The hash of the token.
    /// - Returns: The token; `nil` if it is unknown.
    /// - Throws: An error of the driver.
    func refreshToken(_ tokenHash: SecretHash) async throws -> StoredRefreshToken?

    /// A usable refresh token: not used, not replaced, not expired, and its grant is in force.
    ///
    /// - Parameters:
    ///   - tokenHash: The hash of the token.
    ///   - now: The time.
    /// - Returns: The token; `nil` if it cannot be used, or is unknown.
    /// - Throws: An error of the driver.
    func liveRefreshToken(_ tokenHash: SecretHash, at now: Timestamp) async throws -> StoredRefreshToken?

    /// Rotates a refresh token: consumes it and stores its successor.
    ///
    /// A token that was used at most `grace` ago may be exchanged again while its successor is unused, so that a client
    /// recovers from a lost response. The new successor replaces the unused one, so exactly one is live.
    ///
    /// - Parameters:
    ///   - tokenHash: The hash of the token.
    ///   - successor: The new token.
    ///   - grace: How long a used token may be exchanged again; zero for never.
    ///   - now: The time.
    /// - Returns: The outcome; reuse revokes the grant in the same transaction.
    /// - Throws: An error of the driver.
    func rotate(
        _ tokenHash: SecretHash,
        to successor: StoredRefreshToken,
        grace: Duration,
        at now: Timestamp
    ) async throws -> RefreshRotation

    /// Extends a usable refresh token, for servers that do not rotate refresh tokens.
    ///
    /// - Parameters:
    ///   - tokenHash: The hash of the token.
    ///   - end: The new expiry.
    ///   - now: The time.
    /// - Returns: `false`, without any change, if it cannot be used or is unknown.
    /// - Throws: An error of the driver.
    func prolong(_ tokenHash: SecretHash, until end: Timestamp, at now: Timestamp) async throws -> Bool

    /// A grant that is in force.
    ///
    /// A grant that is not stored is derived from its ``ClientCredentialsGrantID``.
    ///
    /// - Parameter id: The identifier.
    /// - Returns: The grant; `nil` if it is unknown or revoked.
    /// - Throws: An error of the driver.
    func grant(_ id: String) async throws -> Grant?

    /// Revokes a grant with every token issued under it; does nothing if it is unknown or already revoked.
    ///
    /// - Parameters:
    ///   - id: The identifier.
    ///   - now: The time.
    /// - Throws: An error of the driver.
    func revokeGrant(_ id: String, at now: Timestamp) async throws
}
