// SPDX-License-Identifier: Apache-2.0

package import DPoP
package import OAuthSystem
package import ServerStorage
import TestSupport

/// Changes that record nothing, each another one: so that a case about the change itself need not name it.
extension AuthorizationStorage {
    package func add(_ request: StoredAuthorizationRequest) async throws {
        _ = try await add(request, recording: .unique, at: Sample.now)
    }

    package func add(_ device: StoredDeviceAuthorization) async throws -> Bool {
        try await add(device, recording: .unique, at: Sample.now).outcome()
    }

    package func add(_ token: StoredAccessToken) async throws {
        var recording = Recording.unique
        recording.accessToken = token
        try await record(recording, at: Sample.now).outcome()
    }

    package func record(_ grant: Grant, until end: Timestamp) async throws {
        try await record(grant, until: end, recording: .unique, at: Sample.now).outcome()
    }

    package func redeem(
        _ code: GrantSecret,
        issuing token: StoredRefreshToken?,
        at now: Timestamp
    ) async throws -> CodeRedemption {
        try await redeem(code, issuing: token, until: now + .seconds(300), recording: .unique, at: now).outcome()
    }

    package func rotate(
        _ token: GrantSecret,
        to successor: StoredRefreshToken,
        grace: Duration,
        at now: Timestamp
    ) async throws -> RefreshRotation {
        try await rotate(token, to: successor, grace: grace, recording: .unique, at: now).outcome()
    }

    package func prolong(_ token: GrantSecret, until end: Timestamp, at now: Timestamp) async throws -> Bool {
        try await prolong(token, until: end, recording: .unique, at: now).outcome()
    }

    package func consumeAuthorizationRequest(_ hash: SecretHash, at now: Timestamp) async throws -> Bool {
        try await consumeAuthorizationRequest(hash, by: .unique, at: now)
    }

    package func denyDevice(
        _ deviceCodeHash: SecretHash,
        consuming referenceHash: SecretHash,
        at now: Timestamp
    ) async throws -> Bool {
        try await denyDevice(deviceCodeHash, consuming: referenceHash, by: .unique, at: now)
    }

    package func pollDevice(_ code: GrantSecret, at now: Timestamp) async throws -> DevicePoll {
        try await pollDevice(code, recording: .unique, at: now).outcome()
    }

    package func redeemDevice(
        _ code: GrantSecret,
        issuing token: StoredRefreshToken?,
        until end: Timestamp,
        at now: Timestamp
    ) async throws -> CodeRedemption {
        try await redeemDevice(code, issuing: token, until: end, recording: .unique, at: now).outcome()
    }

    /// Stores a proof.
    package func insert(
        _ key: ReplayKey,
        in pool: SingleUseEntry.Pool = .granted,
        until end: Timestamp,
        now: Timestamp
    ) async throws -> ReplayInsertion {
        switch try await record(.proof(key, in: pool, until: end), at: now) {
        case .done: .inserted
        case .full: .full
        case .proofReplayed, .assertionReplayed, .otherEpoch: .replayed
        }
    }
}

extension WriteAttempt {
    /// Another one each time.
    package static var unique: WriteAttempt { WriteAttempt(entropy: SystemEntropy()) }
}

extension Recording {
    /// The replay memory that the nonces of all proofs are made for; `nil` for proofs without a nonce.
    ///
    /// With it, ``unique`` has a proof as well, as most changes of a server do.
    @TaskLocal static var epoch: ReplayEpoch?

    /// Another one each time, without entries, unless there is an ``epoch``.
    package static var unique: Recording {
        var recording = Recording(.unique)
        if let epoch, let key = try? Sample.replayKey("\(recording.attempt.id)") {
            // It never expires, so that a case about expiry need not count it.
            let end = Sample.now + .seconds(1000 * 86_400)
            recording.proof = SingleUseEntry(key: key, end: end, pool: .granted, epoch: epoch)
        }
        return recording
    }

    /// A proof alone.
    package static func proof(
        _ key: ReplayKey,
        in pool: SingleUseEntry.Pool = .granted,
        until end: Timestamp = Sample.now + .seconds(300),
        epoch: ReplayEpoch? = nil,
        by attempt: WriteAttempt = .unique
    ) -> Recording {
        var recording = Recording(attempt)
        recording.proof = SingleUseEntry(key: key, end: end, pool: pool, epoch: epoch ?? Self.epoch)
        return recording
    }
}

extension Recording {
    /// An assertion alone, in one of the pools that a new replay memory remembers.
    package static func assertion(_ key: ReplayKey, in pool: SingleUseEntry.Pool) -> Recording {
        var recording = Recording(.unique)
        recording.assertion = SingleUseEntry(key: key, end: Sample.now + .seconds(60), pool: pool)
        return recording
    }
}

extension Recorded {
    /// The outcome of a change that must have been carried out.
    @discardableResult
    package func outcome() throws -> Outcome {
        guard case .done(let outcome) = self else {
            throw UnexpectedRecord(what: "\(self)")
        }
        return outcome
    }
}

/// The error of a case in which a change was not carried out, but should have been.
struct UnexpectedRecord: Error {
    let what: String
}
