// SPDX-License-Identifier: Apache-2.0

import DPoP
import OAuthSystem
import ServerStorage

extension Services {
    /// Calls the storage.
    ///
    /// If it fails, the client gets an error that allows a retry, and the cause is logged for the operator.
    func stored<Value: Sendable>(
        _ operation: (any AuthorizationStorage) async throws -> Value
    ) async throws(ProtocolFailure) -> Value {
        do {
            return try await operation(storage)
        } catch {
            report("storage failed: \(error)")
            throw .unavailable
        }
    }

    /// Carries out the one change of a request, with what its table recorded.
    ///
    /// - Parameters:
    ///   - recording: What must be recorded with it.
    ///   - request: The request.
    ///   - operation: The change.
    /// - Returns: The outcome of the change.
    /// - Throws: The failure of the record that was not accepted; nothing has changed then.
    func write<Outcome: Sendable>(
        _ recording: Recording,
        for request: some ClientStage,
        _ operation: (any AuthorizationStorage, Recording) async throws -> Recorded<Outcome>
    ) async throws(ProtocolFailure) -> Outcome {
        switch try await stored({ try await operation($0, recording) }) {
        case .done(let outcome): return outcome
        case .assertionReplayed: throw rejection(.clientRejected, by: .recordAssertion)
        case .proofReplayed: throw rejection(usedProof(of: request), by: .recordProof)
        case .full: throw replayStoreIsFull()
        case .otherEpoch(let epoch): throw rejection(otherReplayMemory(epoch, for: request), by: .recordProof)
        }
    }

    /// The failure of a request whose proof was used before.
    func usedProof(of request: some ClientStage) -> ProtocolFailure {
        ProtocolFailure(DPoPError(.replayed, "the proof was used before", step: .replay), to: request, self)
    }

    /// The failure of a request that cannot be recorded; also reports it to the operator.
    func replayStoreIsFull() -> ProtocolFailure {
        report("replay store: it is full, and a request was rejected")
        return .unavailable
    }

    /// The failure of a request whose nonce was made for another replay memory.
    ///
    /// Another server has started a new memory: from now on nonces are made for it.
    func otherReplayMemory(_ epoch: ReplayEpoch, for request: some ClientStage) -> ProtocolFailure {
        nonces.start(epoch)
        let error = DPoPError(.nonceRequired, "the nonce was made for another replay memory", step: .nonce)
        return ProtocolFailure(error, to: request, self)
    }

    /// Stores a request of a browser, which records nothing.
    func add(_ request: StoredAuthorizationRequest, at now: Timestamp) async throws(ProtocolFailure) {
        let recording = Recording(newAttempt())
        _ = try await stored { try await $0.add(request, recording: recording, at: now) }
    }

    /// Names a change that no client asked for with a proof or an assertion.
    func newAttempt() -> WriteAttempt {
        WriteAttempt(entropy: entropy)
    }

    /// A new identifier for a grant, in the shard of its user.
    ///
    /// The subject is `sub`, or `client_id` for a grant without a user, or of a user who is not known yet.
    func newGrantID(for subject: String, at now: Timestamp) async throws(ProtocolFailure) -> String {
        Grant.newID(in: try await shard(of: subject), at: now, entropy)
    }

    /// The shard of a user.
    func shard(of subject: String) async throws(ProtocolFailure) -> UInt8 {
        do {
            return try await shards.key(in: storage, entropy).shard(of: subject)
        } catch {
            report("storage failed: \(error)")
            throw .unavailable
        }
    }
}

extension AuthorizationStorage {
    /// Stores what a request recorded that changes nothing else; no call for a request that recorded nothing.
    func recordIfNeeded(_ recording: Recording, at now: Timestamp) async throws -> Recorded<Void> {
        guard !recording.isEmpty else { return .done(()) }
        return try await record(recording, at: now)
    }
}

extension CheckRow {
    fileprivate static let recordProof = CheckRow(RecordProof<TokenRequest>.self, section: "RFC 9449 section 11.1")
    fileprivate static let recordAssertion = CheckRow(
        RecordAssertion<ClientRequest>.self,
        section: "RFC 7523 section 3"
    )
}
