// SPDX-License-Identifier: Apache-2.0

import ServerStorage

/// RFC 9101 section 10.2: a request object with a `jti` can be used once; its use is remembered until it expires.
///
/// The last row of a table, and recorded together with the proof: a request whose proof is rejected, for example
/// because it needs a nonce, does not use up its request object. The change that follows then no longer records the
/// proof.
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
