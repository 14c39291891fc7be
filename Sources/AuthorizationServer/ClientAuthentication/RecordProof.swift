// SPDX-License-Identifier: Apache-2.0

import DPoP
import ServerStorage

/// RFC 9449 section 11.1: a proof can be used once.
///
/// The last row of a table, after every other check. Only a request with a valid code or token adds an entry, so an
/// attacker cannot fill the replay memory of tokens, and a rejected request does not use up its proof. Proofs of pushed
/// requests, which need neither, have a pool of their own, with shares for clients and addresses
/// (``PushedProofShares``). Proofs of devices that no user has allowed yet count there too (``RecordDeviceProof``).
struct RecordProof<Stage: ProvenStage>: Record {
    let section = "RFC 9449 section 11.1"
    private let pool: SingleUseEntry.Pool
    private let share: PushedProofShares.Kind

    /// Records in a pool; in that of pushed requests a proof takes a place of a share.
    init(_ pool: SingleUseEntry.Pool, share: PushedProofShares.Kind = .request) {
        self.pool = pool
        self.share = share
    }

    func record(
        _ request: Stage,
        in recording: inout Recording,
        _ services: Services
    ) async throws(ProtocolFailure) {
        guard let proof = request.proof else { return }
        if pool == .pushed { try takeShare(of: request, services) }
        guard let memory = services.replay.memory(of: pool) else {
            recording.proof = SingleUseEntry(
                key: proof.replayKey,
                end: proof.retainUntil,
                pool: pool,
                epoch: proof.replayEpoch
            )
            return
        }
        do {
            try await record(proof, in: memory, services, request)
        } catch {
            throw ProtocolFailure(error, to: request, services)
        }
    }

    private func takeShare(of request: Stage, _ services: Services) throws(ProtocolFailure) {
        do throws(ProtocolFailure) {
            try services.pushedProofShares.take(
                share,
                of: request.clientRequest.holder,
                from: services.limitedAddress,
                at: request.now
            )
        } catch {
            let detail = share == .poll ? "proofs of waiting devices" : "proofs of pushed requests"
            services.record(.limitReached, detail: detail)
            throw error
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
