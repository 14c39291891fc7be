// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// Where grants, codes and refresh tokens are kept.
///
/// Reading consumes nothing: all checks run on what was read, then one verb changes the state, in one transaction that
/// carries its result. Of any number of callers at once exactly one wins. What a crash interrupts has not happened; what
/// was answered is durable.
public protocol GrantStore: Sendable {
    /// Stores a grant and its code and spends the authorization request.
    ///
    /// - Parameters:
    ///   - code: The code.
    ///   - grant: Its grant.
    ///   - handleHash: The hash of the handle of the request that it answers.
    ///   - basis: The consent that it rests on, which is stored or looked for in the same transaction.
    ///   - now: The time.
    /// - Returns: What became of it; unless it is ``CodeIssuance/issued``, nothing has changed.
    /// - Throws: An error of the driver.
    func issue(
        _ code: StoredCode,
        under grant: Grant,
        spending handleHash: SecretHash,
        by basis: ConsentBasis,
        at now: Timestamp
    ) async throws -> CodeIssuance

    /// Stores a grant and its code for a request that was answered at once, and never stored.
    ///
    /// What the answer rests on is looked for in the same transaction: the session, the account of its person, who is that
    /// of the grant, and the consent.
    ///
    /// - Parameters:
    ///   - code: The code.
    ///   - grant: Its grant.
    ///   - sessionHash: The hash of the cookie of the person's session.
    ///   - consent: The consent that must be stored, with that scope or more.
    ///   - now: The time.
    /// - Returns: What became of it; unless it is ``CodeIssuance/issued``, nothing has changed.
    /// - Throws: An error of the driver.
    func issue(
        _ code: StoredCode,
        under grant: Grant,
        in sessionHash: SecretHash,
        by consent: RememberedConsent,
        at now: Timestamp
    ) async throws -> CodeIssuance

    /// Stores a grant under which only an access token is given out, and which no ``OwnGrantID`` names.
    ///
    /// - Parameters:
    ///   - grant: The grant.
    ///   - end: When the access token ends; the grant is deleted some time after.
    /// - Throws: An error of the driver.
    func record(_ grant: Grant, until end: Timestamp) async throws

    /// What a code may be exchanged with; codes that are spent or expired are found too.
    ///
    /// - Parameter codeHash: The hash of the code.
    /// - Returns: The code; `nil` when it is unknown.
    /// - Throws: An error of the driver.
    func code(_ codeHash: SecretHash) async throws -> StoredCode?

    /// Spends a code and stores the refresh token that is given out for it.
    ///
    /// - Parameters:
    ///   - codeHash: The hash of the code.
    ///   - refreshToken: What is given out; `nil` for an access token only.
    ///   - now: The time.
    /// - Returns: What became of it; a replay revokes the grant in the same transaction.
    /// - Throws: An error of the driver.
    func redeem(
        _ codeHash: SecretHash,
        issuing refreshToken: StoredRefreshToken?,
        at now: Timestamp
    ) async throws -> CodeRedemption

    /// A refresh token; those that are spent or expired are found too.
    ///
    /// - Parameter tokenHash: The hash of the token.
    /// - Returns: The token; `nil` when it is unknown.
    /// - Throws: An error of the driver.
    func refreshToken(_ tokenHash: SecretHash) async throws -> StoredRefreshToken?

    /// A refresh token that can be used: not spent, not replaced, not expired, its grant in force.
    ///
    /// - Parameters:
    ///   - tokenHash: The hash of the token.
    ///   - now: The time.
    /// - Returns: The token; `nil` when it cannot be used, or is unknown.
    /// - Throws: An error of the driver.
    func liveRefreshToken(_ tokenHash: SecretHash, at now: Timestamp) async throws -> StoredRefreshToken?

    /// Spends a refresh token and stores its successor.
    ///
    /// A token that was spent at most `grace` ago may be exchanged again while its successor is unused: a client whose
    /// answer was lost recovers. The new successor takes the place of the unused one, so exactly one is live.
    ///
    /// - Parameters:
    ///   - tokenHash: The hash of the token.
    ///   - successor: What is given out.
    ///   - grace: How long a spent token may be exchanged again; zero for never.
    ///   - now: The time.
    /// - Returns: What became of it; reuse revokes the grant in the same transaction.
    /// - Throws: An error of the driver.
    func rotate(
        _ tokenHash: SecretHash,
        to successor: StoredRefreshToken,
        grace: Duration,
        at now: Timestamp
    ) async throws -> RefreshRotation

    /// Keeps a refresh token that can be used, and moves its end: for servers that do not replace it.
    ///
    /// - Parameters:
    ///   - tokenHash: The hash of the token.
    ///   - end: When it expires from now on.
    ///   - now: The time.
    /// - Returns: `false`, and nothing is changed, when it cannot be used, or is unknown.
    /// - Throws: An error of the driver.
    func prolong(_ tokenHash: SecretHash, until end: Timestamp, at now: Timestamp) async throws -> Bool

    /// A grant that is in force.
    ///
    /// One that is not stored is found by what ``OwnGrantID`` says.
    ///
    /// - Parameter id: The identifier.
    /// - Returns: The grant; `nil` when it is unknown or revoked.
    /// - Throws: An error of the driver.
    func grant(_ id: String) async throws -> Grant?

    /// Revokes a grant and with it every token given out under it; nothing happens when it is unknown or revoked.
    ///
    /// - Parameters:
    ///   - id: The identifier.
    ///   - now: The time.
    /// - Throws: An error of the driver.
    func revokeGrant(_ id: String, at now: Timestamp) async throws
}
