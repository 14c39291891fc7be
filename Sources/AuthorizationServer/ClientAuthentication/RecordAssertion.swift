// SPDX-License-Identifier: Apache-2.0

import ServerStorage

/// RFC 7523 section 3: a client assertion can be used once.
///
/// Runs after every other check, like ``RecordProof``: a rejected request does not use up its assertion. Only the
/// holder of a client's key can add an entry, and the number of entries per client is limited. Clients that no operator
/// registered have a pool of their own, with a share for each address (``UnregisteredClientShares``). Assertions have
/// no nonce, so they are always recorded by the storage, which remembers them after a restart and for all servers.
struct RecordAssertion<Stage: ClientStage>: Record {
    let section = "RFC 7523 section 3"

    func record(
        _ request: Stage,
        in recording: inout Recording,
        _ services: Services
    ) async throws(ProtocolFailure) {
        guard let assertion = request.clientRequest.assertion else { return }
        recording.assertion = try services.entry(for: assertion, of: request)
    }
}
