// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// Keeps sign-ins in the memory of this process; if there are too many, the oldest is dropped.
public actor MemoryTransactionStore: TransactionStore, RedactedSecret {
    private var transactions: [String: SignInTransaction] = [:]
    private let capacity: Int

    /// Makes an empty store.
    ///
    /// - Parameter capacity: The maximum number of waiting sign-ins.
    public init(capacity: Int = 64) {
        self.capacity = max(capacity, 1)
    }

    /// Stores a transaction until it is taken or expires.
    ///
    /// - Parameters:
    ///   - transaction: The transaction.
    ///   - now: The time, for dropping expired transactions.
    public func insert(_ transaction: SignInTransaction, now: Timestamp) {
        transactions = transactions.filter { $0.value.expiresAt > now }
        if transactions.count >= capacity,
            let oldest = transactions.min(by: { $0.value.expiresAt < $1.value.expiresAt })
        {
            transactions[oldest.key] = nil
        }
        transactions[transaction.state] = transaction
    }

    /// Removes and returns a transaction.
    ///
    /// - Parameters:
    ///   - state: Its `state`.
    ///   - now: The time; an expired transaction is not returned.
    /// - Returns: The transaction; `nil` when there is none, or it has expired or been taken.
    public func take(state: String, now: Timestamp) -> SignInTransaction? {
        guard let transaction = transactions.removeValue(forKey: state), transaction.expiresAt > now else { return nil }
        return transaction
    }
}
