// SPDX-License-Identifier: Apache-2.0

import ServerStorage

/// RFC 9101 section 10.2: a request object that the client gave a `jti` can be used once, until it ends.
///
/// The last row of a table, with the proof: a request whose proof is rejected, such as one that is asked for a nonce, does not
/// use it up. The proof is then recorded, and no longer part of the change that follows.
struct RecordRequestObject<Stage: ProvenStage>: Record {
    let section = "RFC 9101 section 10.2"

    func record(
        _ request: Stage,
        in recording: inout Recording,
        _ services: Services
    ) async throws(ProtocolFailure) {
        if try await services.recordRequestObject(of: request, with: recording.proof) { recording.proof = nil }
    }
}
