// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// Stores waiting sign-ins: each entry expires and is taken once.
///
/// An app that may be stopped while the browser is open uses ``FileTransactionStore``, or keeps ``SignInTransaction/json`` in
/// the Keychain; never in user defaults: the verifier is a secret.
public protocol TransactionStore: Sendable {
    /// Stores a transaction until it is taken or expires.
    ///
    /// - Parameters:
    ///   - transaction: The transaction.
    ///   - now: The time, for dropping expired transactions.
    /// - Throws: An error of the store.
    func insert(_ transaction: SignInTransaction, now: Timestamp) async throws

    /// Removes and returns a transaction atomically: of two callers, only one gets it.
    ///
    /// - Parameters:
    ///   - state: Its `state`.
    ///   - now: The time; an expired transaction is not returned.
    /// - Returns: The transaction; `nil` when there is none, or it has expired or been taken.
    /// - Throws: An error of the store.
    func take(state: String, now: Timestamp) async throws -> SignInTransaction?
}
