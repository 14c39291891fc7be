// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import DPoP
import OAuthSystem
import ServerStorage

/// The part of a statement that records the proof of its request.
///
/// Such a statement changes its rows in a common table expression `done`, under the condition ``isNew``, and ends with
/// ``record``. So the proof is recorded if the change is carried out, and else neither is. If two connections record one
/// proof at the same moment, the later one fails on the key of the table.
struct PostgreSQLProofPlan {
    /// The condition that the proof can be recorded.
    static let isNew: StaticString = """
        EXISTS (SELECT 1 FROM replay_epoch WHERE epoch = $5)
        AND NOT EXISTS (SELECT 1 FROM replay_proofs WHERE digest = $1)
        """

    /// The end of the statement, which records the proof.
    static let record: StaticString = """
         INSERT INTO replay_proofs (digest, owner, expires_at, attempt) SELECT $1, $2, $3, $4 FROM done
        """

    /// The values `$1` to `$5`.
    let values: [StoredValue]

    /// Makes the part for a recording that has one proof with a nonce, and nothing else; `nil` for any other.
    init?(_ recording: Recording, within counts: SingleUseCounts, at now: Timestamp) {
        guard let proof = recording.proof, let epoch = proof.epoch, recording.assertion == nil,
            recording.accessToken == nil, counts.hasSpace(for: proof, at: now)
        else { return nil }
        values = [
            .blob(proof.key.bytes), .text(proof.owner), .time(proof.end), .attempt(recording.attempt),
            .blob(epoch.bytes),
        ]
    }

    /// Whether the statement was carried out.
    static func isDone(_ results: ArraySlice<PostgreSQLResult>) -> Bool {
        results.last?.changes == 1
    }
}

extension PostgreSQLPlan {
    /// Records a proof, and nothing else.
    static func recording(_ proof: PostgreSQLProofPlan) -> Self? where Value == Recorded<Void> {
        Self([.recording(proof)], locking: "~") { _, results in
            PostgreSQLProofPlan.isDone(results) ? .done(()) : nil
        }
    }
}

extension PostgreSQLStatement {
    /// Records a proof, and nothing else.
    static func recording(_ proof: PostgreSQLProofPlan) -> Self {
        Self(.recordProof, proof.values)
    }
}

extension SQL {
    fileprivate static let recordProof = SQL(
        joining: "WITH done AS (SELECT 1 WHERE ",
        PostgreSQLProofPlan.isNew,
        ")",
        PostgreSQLProofPlan.record
    )
}
#endif
