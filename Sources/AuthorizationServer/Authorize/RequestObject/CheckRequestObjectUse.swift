// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import ServerStorage

/// RFC 9101 section 10.2: a request object that the client gave a `jti` can be used once, until it ends.
///
/// Runs after every other check of the request, so that a rejected one does not use it up. The record is a change of its
/// own: the client has to sign another request if the change that follows fails.
struct CheckRequestObjectUse<Stage: ClientStage>: Verification {
    let section = "RFC 9101 section 10.2"

    func run(_ request: Stage, _ services: Services) async throws(ProtocolFailure) -> Stage {
        guard let object = request.clientRequest.requestObject else { return request }
        var recording = Recording(services.newAttempt())
        recording.assertion = SingleUseEntry(key: object.key, end: object.end, pool: .assertions)
        switch try await services.stored({ try await $0.record(recording, at: request.now) }) {
        case .done:
            return request
        case .full:
            services.report("replay store: it is full, and a request was refused")
            throw .unavailable
        case .assertionReplayed, .proofReplayed, .otherEpoch:
            throw ProtocolFailure(
                .invalidRequestObject,
                "the request object was used before: sign a new one, with another 'jti'"
            )
        }
    }
}
