// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// Where sign-ins wait for their answers: each entry expires and is taken once.
///
/// An app that may be stopped while the browser is open keeps them in ``FileTransactionStore`` or, as ``Transaction/json``, in
/// the Keychain; never in user defaults: the verifier is a secret.
public protocol TransactionStore: Sendable {
    /// Keeps a transaction until it is taken or expires.
    ///
    /// - Parameters:
    ///   - transaction: The transaction.
    ///   - now: The time, for dropping those that have expired.
    /// - Throws: An error of the store.
    func insert(_ transaction: Transaction, now: Timestamp) async throws

    /// Removes a transaction and gives it out, in one step: of two callers one gets it.
    ///
    /// - Parameters:
    ///   - state: Its `state`.
    ///   - now: The time; what has expired is not given out.
    /// - Returns: The transaction; `nil` when there is none, or it has expired or been taken.
    /// - Throws: An error of the store.
    func take(state: String, now: Timestamp) async throws -> Transaction?
}
