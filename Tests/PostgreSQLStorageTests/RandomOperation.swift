// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import DPoP
import OAuthSystem
import ServerStorage
import StorageSuite
import TestSupport

/// One of the operations that PostgreSQL carries out with one statement, with random values.
struct RandomOperation: Sendable, CustomStringConvertible {
    enum Kind: CaseIterable {
        case issue, redeem, rotate, revoke, readCode, readToken, readUser, record
    }

    let kind: Kind
    let grant: String
    let now: Timestamp
    let recording: Recording
    let token: Int
    let successor: Int
    let hasToken: Bool
    let isBound: Bool
    let grace: Duration
    let end: Duration

    var description: String {
        "\(kind) \(grant), token \(token) to \(successor), after \(now - Sample.now), grace \(grace), \(recording)"
    }

    init(slot: Int, step: Int, newest: Int, _ generator: inout SeededGenerator) {
        // A grant lives for 25 steps, so that its tokens have a history.
        grant = "\(slot) \(step / 25)"
        let age = step % 25
        kind =
            switch age {
            case 0: .issue
            case 1: .redeem
            default:
                [
                    .rotate, .rotate, .rotate, .rotate, .rotate, .readToken, .readCode, .readUser, .record, .issue,
                    .redeem, .revoke,
                ]
                .randomElement(using: &generator) ?? .rotate
            }
        let isLate = Int.random(in: 0..<20, using: &generator) == 0
        now = Sample.now + .seconds(isLate ? 100 : Int64(age))
        // Mostly the newest token, sometimes one before it.
        token = max(0, newest - (Int.random(in: 0..<8, using: &generator) == 0 ? 1 : 0))
        successor = Int.random(in: 0..<30, using: &generator) == 0 ? token : newest + 1
        hasToken = Int.random(in: 0..<8, using: &generator) != 0
        isBound = Bool.random(using: &generator)
        grace = Bool.random(using: &generator) ? .seconds(30) : .zero
        end = Int.random(in: 0..<10, using: &generator) == 0 ? .seconds(20) : .seconds(86_400)
        var recording = Recording(.unique)
        let proof = Int.random(in: 0..<15, using: &generator) == 0 ? age - 1 : age
        let epoch = Sample.epoch(Int.random(in: 0..<30, using: &generator) == 0 ? "another" : "a")
        if let key = try? Sample.replayKey("\(grant) \(proof)") {
            recording.proof = SingleUseEntry(key: key, end: now + .seconds(300), pool: .granted, epoch: epoch)
        }
        self.recording = recording
    }

    enum Outcome: Sendable, Equatable, CustomStringConvertible {
        case change(String)
        case code(CodeReads)
        case token(RefreshTokenReads)
        case user(UserAccount?)

        var hasNewToken: Bool {
            [
                .change("\(Recorded.done(RefreshRotation.rotated))"),
                .change("\(Recorded.done(RefreshRotation.reissued))"),
            ]
            .contains(self)
        }

        var description: String {
            switch self {
            case .change(let outcome): outcome
            case .code(let reads): "code \(reads.code == nil), grant \(reads.grant == nil)"
            case .token(let reads): "token \(reads.refreshToken == nil), grant \(reads.grant == nil)"
            case .user(let user): "user \(user == nil)"
            }
        }
    }

    /// Carries it out.
    func outcome(in store: any AuthorizationStorage) async throws -> Outcome {
        do {
            return try await carriedOut(in: store)
        } catch let error as StorageError {
            return .change("\(error.code)")
        }
    }

    private func carriedOut(in store: any AuthorizationStorage) async throws -> Outcome {
        let code = try Sample.codeSecret(grant)
        let secret = try Sample.tokenSecret("\(grant) \(token)", grant: grant)
        switch kind {
        case .issue:
            let stored = try Sample.code(grant, expiresAt: now + .seconds(60))
            let session = Sample.session("session").idHash
            let consent = try Sample.consent(hasToken ? "openid" : "openid other")
            let grant = try Sample.grant(grant)
            return .change("\(try await store.issue(stored, under: grant, in: session, by: consent, at: now))")
        case .redeem:
            let first = hasToken ? try refreshToken(0) : nil
            let end = now + .seconds(300)
            let outcome = try await store.redeem(code, issuing: first, until: end, recording: recording, at: now)
            return .change("\(outcome)")
        case .rotate:
            let next = try refreshToken(successor)
            let outcome = try await store.rotate(secret, to: next, grace: grace, recording: recording, at: now)
            return .change("\(outcome)")
        case .revoke:
            let outcome = try await store.revokeGrant(Sample.grantID(grant), recording: recording, at: now)
            return .change("\(outcome)")
        case .readCode: return .code(try await store.reads(ofCode: code, for: Sample.clientID))
        case .readToken: return .token(try await store.reads(ofRefreshToken: secret, for: Sample.clientID))
        case .readUser:
            guard recording.proof != nil else { return .user(try await store.user(ofGrant: Sample.grantID(grant))) }
            let user = try await store.user(ofGrant: Sample.grantID(grant), recording: recording, at: now)
            return .change("\(user)")
        case .record: return .change("\(try await store.record(recording, at: now))")
        }
    }

    private func refreshToken(_ number: Int) throws -> StoredRefreshToken {
        try Sample.token(
            "\(grant) \(number)",
            grant: grant,
            thumbprint: isBound ? Sample.thumbprint("key") : nil,
            expiresAt: Sample.now + end
        )
    }
}
