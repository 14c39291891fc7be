// SPDX-License-Identifier: Apache-2.0

import DPoP

/// RFC 7523 section 3: the assertion of a client works once.
///
/// After every reason to refuse, as ``RecordProof``: a refused request does not use the assertion up. Only who has the key
/// of a client leaves a trace, and how many each may leave is bounded.
struct RecordAssertion<Stage: ClientStage>: Recording {
    let section = "RFC 7523 section 3"

    func record(_ request: Stage, _ services: Services) async throws(ProtocolFailure) {
        guard let assertion = request.clientRequest.assertion else { return }
        let insertion: ReplayInsertion
        do {
            insertion = try await services.replay.insert(assertion.key, until: assertion.end, now: request.now)
        } catch {
            services.report("replay store: \(error)")
            throw .unavailable
        }
        switch insertion {
        case .inserted: return
        case .replayed: throw .clientRejected
        case .full:
            services.report("replay store: it is full, and an assertion was refused")
            throw .unavailable
        }
    }
}
