// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// A store for grants, codes and refresh tokens.
///
/// Reading consumes nothing. A caller runs all checks on what it read; then one function changes the state and returns
/// the result, in one transaction. If several callers race, exactly one wins. An operation that a crash interrupts did
/// not happen. Once a function returns, its change is durable.
///
/// A function that gets a ``Recording`` stores it in the same transaction. If an entry of it was used before, nothing
/// changes. Every function can be called again with the same values, for example by a driver that does not know whether
/// its first call was committed: it then changes nothing and gives the same answer.
public protocol GrantStore: Sendable {
    /// Stores a grant and its code and consumes the authorization request.
    ///
    /// The same transaction checks the session in which the user answered the request, and the account of its user, who
    /// must be that of the grant: what an operator or a sign-out ends issues nothing afterwards. Again:
    /// ``CodeIssuance/issued`` if the grant is stored with this code.
    ///
    /// - Parameters:
    ///   - code: The code.
    ///   - grant: Its grant.
    ///   - referenceHash: The hash of the `request_uri` reference of the request.
    ///   - sessionHash: The hash of the cookie of the user's session.
    ///   - decision: The consent that it is based on, which is stored or checked in the same transaction.
    ///   - now: The time.
    /// - Returns: The outcome; unless it is ``CodeIssuance/issued``, nothing has changed.
    /// - Throws: An error of the driver.
    func issue(
        _ code: StoredCode,
        under grant: Grant,
        consuming referenceHash: SecretHash,
        in sessionHash: SecretHash,
        by decision: ConsentDecision,
        at now: Timestamp
    ) async throws -> CodeIssuance

    /// Stores a grant and its code for a request that was answered at once and never stored.
    ///
    /// The same transaction checks what the response is based on: the session, the account of its user, who must be
    /// that of the grant, and the consent. Again: ``CodeIssuance/issued`` if the grant is stored with this code.
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
    /// Again: nothing happens if the same grant is stored.
    ///
    /// - Parameters:
    ///   - grant: The grant.
    ///   - end: When the access token expires; the grant is deleted some time later.
    ///   - recording: What is recorded with it.
    ///   - now: The time.
    /// - Returns: Whether it was recorded.
    /// - Throws: An error of the driver; also if another grant with that identifier is stored.
    func record(
        _ grant: Grant,
        until end: Timestamp,
        recording: Recording,
        at now: Timestamp
    ) async throws -> Recorded<Void>

    /// The data of a code, also if it is used or expired.
    ///
    /// - Parameter code: The code.
    /// - Returns: The code; `nil` if it is unknown.
    /// - Throws: An error of the driver.
    func code(_ code: GrantSecret) async throws -> StoredCode?

    /// Consumes a code and stores the refresh token that is issued for it.
    ///
    /// Again: ``CodeRedemption/first`` for the attempt that used it.
    ///
    /// - Parameters:
    ///   - code: The code.
    ///   - refreshToken: The refresh token to issue; `nil` for an access token only.
    ///   - end: When the access token expires.
    ///   - recording: What is recorded with it.
    ///   - now: The time.
    /// - Returns: The outcome; a replay revokes the grant in the same transaction.
    /// - Throws: An error of the driver.
    func redeem(
        _ code: GrantSecret,
        issuing refreshToken: StoredRefreshToken?,
        until end: Timestamp,
        recording: Recording,
        at now: Timestamp
    ) async throws -> Recorded<CodeRedemption>

    /// The refresh token of a grant, for any token of its family: also if it was used, replaced or has expired.
    ///
    /// - Parameter token: The token.
    /// - Returns: The token, bound to the key that this one was bound to; `nil` if its family is unknown.
    /// - Throws: An error of the driver.
    func refreshToken(_ token: GrantSecret) async throws -> StoredRefreshToken?

    /// A usable refresh token: not used, not replaced, not expired, and its grant is in force.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - now: The time.
    /// - Returns: The token; `nil` if it cannot be used, or is unknown.
    /// - Throws: An error of the driver.
    func liveRefreshToken(_ token: GrantSecret, at now: Timestamp) async throws -> StoredRefreshToken?

    /// Rotates a refresh token: its successor takes its place.
    ///
    /// A token that was used at most `grace` ago may be exchanged again, at most twice and while its successor is
    /// unused, so that a client recovers from a lost response. Exactly one token is live. The rule is in
    /// `RefreshTokenState`. Again: the same outcome, and never a revocation.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - successor: The new token, of the same grant and family.
    ///   - grace: How long a used token may be exchanged again; zero for never.
    ///   - recording: What is recorded with it.
    ///   - now: The time.
    /// - Returns: The outcome; reuse revokes the grant in the same transaction.
    /// - Throws: An error of the driver.
    func rotate(
        _ token: GrantSecret,
        to successor: StoredRefreshToken,
        grace: Duration,
        recording: Recording,
        at now: Timestamp
    ) async throws -> Recorded<RefreshRotation>

    /// Extends a usable refresh token, for servers that do not rotate refresh tokens.
    ///
    /// Again: `true`, since the new expiry is absolute.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - end: The new expiry.
    ///   - recording: What is recorded with it.
    ///   - now: The time.
    /// - Returns: `false`, without any change, if it cannot be used or is unknown.
    /// - Throws: An error of the driver.
    func prolong(
        _ token: GrantSecret,
        until end: Timestamp,
        recording: Recording,
        at now: Timestamp
    ) async throws -> Recorded<Bool>

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
    ///   - recording: What is recorded with it.
    ///   - now: The time.
    /// - Returns: Whether it was recorded.
    /// - Throws: An error of the driver.
    func revokeGrant(_ id: String, recording: Recording, at now: Timestamp) async throws -> Recorded<Void>
}

extension GrantStore {
    /// Revokes a grant without recording anything.
    ///
    /// - Parameters:
    ///   - id: The identifier.
    ///   - now: The time.
    /// - Throws: An error of the driver.
    public func revokeGrant(_ id: String, at now: Timestamp) async throws {
        // Nothing is stored that a repeat would have to be told from.
        _ = try await revokeGrant(id, recording: Recording(WriteAttempt(id: 0)), at: now)
    }
}
