// SPDX-License-Identifier: Apache-2.0

import DPoP

/// RFC 9449 section 11.1: a proof can be used once.
///
/// The last row of a table, after every other check. Only a request with a valid code or token adds an entry, so an
/// attacker cannot fill the replay store of tokens, and a rejected request does not use up its proof. Proofs of pushed
/// requests, which need neither, have a store of their own.
struct RecordProof<Stage: ProvenStage>: Recording {
    let section = "RFC 9449 section 11.1"
    private let store: @Sendable (Services) -> any ReplayStore

    init(_ store: @escaping @Sendable (Services) -> any ReplayStore) {
        self.store = store
    }

    func record(_ request: Stage, _ services: Services) async throws(ProtocolFailure) {
        guard let proof = request.proof else { return }
        do {
            try await record(proof, in: store(services), services, request)
        } catch {
            throw ProtocolFailure(error, to: request, services)
        }
    }

    private func record(
        _ proof: VerifiedProof,
        in store: some ReplayStore,
        _ services: Services,
        _ request: Stage
    ) async throws(DPoPError) {
        try await services.verifier.record(proof, in: store, at: request.now)
    }
}
