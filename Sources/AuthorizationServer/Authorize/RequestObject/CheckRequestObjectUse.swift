// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import ServerStorage

/// RFC 9101 section 10.2: a request object with a `jti` can be used once; its use is remembered until it expires.
///
/// Runs after every other check of a request from the browser, so that a rejected one does not use it up. For requests
/// from clients, which may have a proof, ``RecordRequestObject`` runs instead.
struct CheckRequestObjectUse<Stage: ClientStage>: Verification {
    let section = "RFC 9101 section 10.2"

    func run(_ request: Stage, _ services: Services) async throws(ProtocolFailure) -> Stage {
        try await services.recordRequestObject(of: request, with: nil)
        return request
    }
}

extension Services {
    /// Records that a request object was used, together with the proof of its request: both or neither.
    ///
    /// The record is a change of its own: the client has to sign another request if the change that follows fails.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - proof: Its proof, if the storage records proofs.
    /// - Returns: Whether anything was recorded; nothing is without a request object that has a `jti`.
    /// - Throws: The failure if the request object or the proof is rejected; nothing is recorded then.
    @discardableResult
    func recordRequestObject(
        of request: some ClientStage,
        with proof: SingleUseEntry?
    ) async throws(ProtocolFailure) -> Bool {
        guard let object = request.clientRequest.requestObject else { return false }
        var recording = Recording(newAttempt())
        recording.assertion = try entry(for: object, of: request)
        recording.proof = proof
        let (use, now) = (recording, request.now)
        switch try await stored({ try await $0.record(use, at: now) }) {
        case .done: return true
        case .assertionReplayed:
            throw ProtocolFailure(
                .invalidRequestObject,
                "the request object was used before: sign a new one, with another 'jti'"
            )
        case .proofReplayed: throw usedProof(of: request)
        case .full: throw replayStoreIsFull()
        case .otherEpoch(let epoch): throw otherReplayMemory(epoch, for: request)
        }
    }
}
