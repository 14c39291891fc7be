// SPDX-License-Identifier: Apache-2.0

import DPoP

/// RFC 7523 section 3: a client assertion can be used once.
///
/// Runs after every other check, like ``RecordProof``: a rejected request does not use up its assertion. Only the
/// holder of a client's key can add an entry, and the number of entries per client is limited.
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
