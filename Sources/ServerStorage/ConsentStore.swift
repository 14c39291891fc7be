// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// Where it is kept what people allowed, so that they are not asked twice.
///
/// Consents are stored by ``GrantStore/issue(_:under:spending:by:at:)``, and relied on by that and by
/// ``GrantStore/issue(_:under:in:by:at:)``, in the transaction that gives the code out, so a consent that is withdrawn gives
/// out nothing more.
public protocol ConsentStore: Sendable {
    /// What a person allowed a client.
    ///
    /// - Parameters:
    ///   - subject: `sub`.
    ///   - clientID: `client_id`.
    ///   - detailsHash: The hash of what was asked for beside the scope.
    /// - Returns: The consent; `nil` when there is none.
    /// - Throws: An error of the driver.
    func consent(
        of subject: String,
        to clientID: String,
        details detailsHash: SecretHash
    ) async throws
        -> RememberedConsent?

    /// Lists what a person allowed.
    ///
    /// - Parameter subject: `sub`.
    /// - Returns: All consents, in the order of the clients' identifiers.
    /// - Throws: An error of the driver.
    func consents(of subject: String) async throws -> [RememberedConsent]

    /// Forgets every consent of a person to a client and revokes every grant between the two, in one transaction.
    ///
    /// - Parameters:
    ///   - subject: `sub`.
    ///   - clientID: `client_id`.
    ///   - now: The time.
    /// - Returns: Whether there was a consent, or a grant in force.
    /// - Throws: An error of the driver.
    func withdrawConsent(of subject: String, to clientID: String, at now: Timestamp) async throws -> Bool
}
