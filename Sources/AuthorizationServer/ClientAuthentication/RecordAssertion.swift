// SPDX-License-Identifier: Apache-2.0

import DPoP
import ServerStorage

/// RFC 7523 section 3: a client assertion can be used once.
///
/// Runs after every other check, like ``RecordProof``: a rejected request does not use up its assertion. Only the
/// holder of a client's key can add an entry, and the number of entries per client is limited. Assertions have no
/// nonce, so they are always recorded by the storage, which remembers them after a restart and for all servers.
struct RecordAssertion<Stage: ClientStage>: Record {
    let section = "RFC 7523 section 3"

    func record(
        _ request: Stage,
        in recording: inout Recording,
        _ services: Services
    ) async throws(ProtocolFailure) {
        recording.assertion = request.clientRequest.assertion.map { assertion in
            SingleUseEntry(key: assertion.key, end: assertion.end, pool: .assertions)
        }
    }
}
