// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// A store for the consents of users, so that they are not asked twice.
///
/// ``GrantStore/issue(_:under:consuming:in:by:at:)`` stores consents. That function and
/// ``GrantStore/issue(_:under:in:by:at:)`` check the consent in the transaction that issues the code, so no code is
/// issued after a consent is withdrawn.
public protocol ConsentStore: Sendable {
    /// The consent of a user to a client.
    ///
    /// - Parameters:
    ///   - subject: `sub`.
    ///   - clientID: `client_id`.
    ///   - detailsHash: The hash of what was requested in addition to the scope.
    /// - Returns: The consent; `nil` if there is none.
    /// - Throws: An error of the driver.
    func consent(
        of subject: String,
        to clientID: String,
        details detailsHash: SecretHash
    ) async throws
        -> StoredConsent?

    /// Lists the consents of a user.
    ///
    /// - Parameter subject: `sub`.
    /// - Returns: All consents, in the order of the clients' identifiers.
    /// - Throws: An error of the driver.
    func consents(of subject: String) async throws -> [StoredConsent]

    /// Deletes every consent of a user to a client and revokes every grant between the two, in one transaction.
    ///
    /// Again: `false`; only a driver that repeats its own call can tell.
    ///
    /// - Parameters:
    ///   - subject: `sub`.
    ///   - clientID: `client_id`.
    ///   - now: The time.
    /// - Returns: Whether there was a consent, or a grant in force.
    /// - Throws: An error of the driver.
    func withdrawConsent(of subject: String, to clientID: String, at now: Timestamp) async throws -> Bool
}
