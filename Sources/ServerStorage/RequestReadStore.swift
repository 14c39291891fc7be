// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// Reads all that the checks of a request look at, of one moment.
///
/// Each function is one round trip to a database. A check that looks at something adds it here, so that a request never
/// needs a second read.
public protocol RequestReadStore: Sendable {
    /// Reads for the exchange of a code.
    ///
    /// - Parameters:
    ///   - code: The code; `nil` if the request has none.
    ///   - clientID: `client_id`.
    /// - Returns: What is stored.
    /// - Throws: An error of the driver.
    func reads(ofCode code: GrantSecret?, for clientID: String) async throws -> CodeReads

    /// Reads for the use of a refresh token.
    ///
    /// - Parameters:
    ///   - token: The token; `nil` if the request has none.
    ///   - clientID: `client_id`.
    /// - Returns: What is stored.
    /// - Throws: An error of the driver.
    func reads(ofRefreshToken token: GrantSecret?, for clientID: String) async throws -> RefreshTokenReads

    /// Reads for a device's token request.
    ///
    /// - Parameters:
    ///   - code: The device code; `nil` if the request has none.
    ///   - clientID: `client_id`.
    /// - Returns: What is stored.
    /// - Throws: An error of the driver.
    func reads(ofDeviceCode code: GrantSecret?, for clientID: String) async throws -> DeviceCodeReads

    /// Reads for introspection, revocation and token exchange.
    ///
    /// - Parameters:
    ///   - tokens: Where the presented tokens are stored.
    ///   - clientID: `client_id`.
    ///   - now: The time.
    /// - Returns: What is stored, in the same order.
    /// - Throws: An error of the driver.
    func reads(
        ofTokens tokens: [TokenReference],
        for clientID: String,
        at now: Timestamp
    ) async throws -> TokenReads

    /// Reads for the userinfo endpoint: a grant that is in force, and its user.
    ///
    /// - Parameter grantID: The identifier of the grant.
    /// - Returns: The user; `nil` if the grant is not in force or its user has no account.
    /// - Throws: An error of the driver.
    func user(ofGrant grantID: String) async throws -> UserAccount?

    /// Records what a request for userinfo uses up, and reads as ``user(ofGrant:)`` does.
    ///
    /// Again: the same for the same attempt, as of the later time.
    ///
    /// - Parameters:
    ///   - grantID: The identifier of the grant.
    ///   - recording: The proof of the request. It is recorded also if the grant is not in force.
    ///   - now: The time.
    /// - Returns: The user, if the proof was recorded.
    /// - Throws: An error of the driver.
    func user(
        ofGrant grantID: String,
        recording: Recording,
        at now: Timestamp
    ) async throws -> Recorded<UserAccount?>

    /// Reads for the next page of a stored request.
    ///
    /// - Parameters:
    ///   - referenceHash: The hash of the `request_uri` reference.
    ///   - sessionHash: The hash of the browser's cookie; `nil` if it has none.
    ///   - username: The user name that was typed, in its stored form; `nil` on other pages than the login page.
    ///   - now: The time.
    /// - Returns: What is stored.
    /// - Throws: An error of the driver.
    func reads(
        ofRequest referenceHash: SecretHash,
        in sessionHash: SecretHash?,
        userNamed username: String?,
        at now: Timestamp
    ) async throws -> PendingRequestReads

    /// Reads for a request that is not stored, sent by a browser.
    ///
    /// - Parameters:
    ///   - clientID: `client_id`; `nil` if the request names none.
    ///   - sessionHash: The hash of the browser's cookie; `nil` if it has none.
    ///   - now: The time.
    /// - Returns: The client, and who is signed in; no consent is read, since ``GrantStore/issue(_:under:in:by:at:)``
    ///   checks it.
    /// - Throws: An error of the driver.
    func reads(
        ofClient clientID: String?,
        in sessionHash: SecretHash?,
        at now: Timestamp
    ) async throws -> (client: RegisteredClient?, browser: SessionReads)

    /// Reads for a sign-in without a browser.
    ///
    /// - Parameters:
    ///   - id: The identifier of the session; `nil` if the request has none.
    ///   - clientID: `client_id`; `nil` for that of the session.
    ///   - username: The user name that was typed, in its stored form; `nil` if the request has none.
    ///   - now: The time.
    /// - Returns: What is stored.
    /// - Throws: An error of the driver.
    func reads(
        ofFirstPartySession id: String?,
        for clientID: String?,
        userNamed username: String?,
        at now: Timestamp
    ) async throws -> FirstPartyReads
}
