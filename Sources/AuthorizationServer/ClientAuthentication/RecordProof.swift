// SPDX-License-Identifier: Apache-2.0

import DPoP

/// RFC 9449 section 11.1: the proof works once.
///
/// The last row of a table, after every other reason to refuse: it is the only one that leaves a trace, so nobody without
/// a valid code or token can fill the replay store of tokens, and a refused request does not use its proof up. Proofs of
/// pushed requests, for which nothing is needed, have a store of their own.
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
