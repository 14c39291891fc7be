// SPDX-License-Identifier: Apache-2.0

package import DPoP

/// What came of storing one entry that works once.
package enum SingleUseResult: Sendable {
    /// It is stored, by this change.
    case recorded
    /// Another change has used it.
    case replayed
    /// Its pool, or the share of its owner, is full.
    case full
    /// Its nonce was made for another replay memory than this, which is the current one.
    case otherEpoch(ReplayEpoch)

    /// The outcome of a change that is not carried out for it; `nil` if the entry is stored.
    fileprivate func refusal<Outcome>(replayed: Recorded<Outcome>) -> Recorded<Outcome>? {
        switch self {
        case .recorded: nil
        case .replayed: replayed
        case .full: .full
        case .otherEpoch(let epoch): .otherEpoch(epoch)
        }
    }
}

extension Recording {
    /// Carries out a change with its recording, or neither: the rule of all drivers with a database, in a transaction.
    ///
    /// - Parameters:
    ///   - use: Stores an entry.
    ///   - forget: Takes back an entry of a change that is not carried out.
    ///   - change: The change.
    ///   - store: Stores the access token.
    /// - Returns: The outcome.
    /// - Throws: What one of them threw; the transaction must be rolled back then.
    package func carryOut<Outcome>(
        using use: (SingleUseEntry) throws(StorageError) -> SingleUseResult,
        forgetting forget: (SingleUseEntry) throws(StorageError) -> Void,
        _ change: () throws(StorageError) -> Outcome,
        storing store: (StoredAccessToken) throws(StorageError) -> Void
    ) throws(StorageError) -> Recorded<Outcome> {
        if let assertion, let refusal = try use(assertion).refusal(replayed: Recorded<Outcome>.assertionReplayed) {
            return refusal
        }
        if let proof, let refusal = try use(proof).refusal(replayed: Recorded<Outcome>.proofReplayed) {
            if let assertion { try forget(assertion) }
            return refusal
        }
        let outcome = try change()
        if let accessToken { try store(accessToken) }
        return .done(outcome)
    }
}
