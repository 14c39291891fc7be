// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import DPoP
import OAuthSystem
import PostgreSQLServer
import PostgreSQLStorage
import ServerStorage
import StorageSuite
import TestSupport
import Testing

@Suite("PostgreSQL: one statement does what the rules say", .disabled(if: PostgreSQLDatabases.areLeftOut))
struct PostgreSQLPlanTests {
    /// Random histories of eight grants, whose operations go out together, against the storage in memory.
    @Test(arguments: 0..<4 as Range<UInt64>)
    func `random histories have the outcomes that they have in memory`(seed: UInt64) async throws {
        try await PostgreSQLDatabases.shared.withDatabase { text async throws in
            let tested = try await PostgreSQLAuthorizationStorage(PostgreSQLAddress(text))
            let expected = MemoryAuthorizationStorage()
            for store in [tested, expected] as [any AuthorizationStorage] {
                try await store.startReplayMemory(Sample.epoch("a"))
                _ = try await store.add(Sample.client())
                _ = try await store.add(Sample.user("ada", subject: "subject"))
                var session = Sample.session("session")
                session.subject = "subject"
                try await store.start(session, replacing: nil)
                try await store.add(Sample.request("consent"))
                _ = try await store.issue(
                    Sample.code("consent"),
                    under: Sample.grant("consent"),
                    consuming: Sample.hash("request consent"),
                    by: .givenToRemember(Sample.consent()),
                    at: Sample.now
                )
            }
            var generator = SeededGenerator(seed: seed)
            var outcomes: Set<String> = []
            // The newest refresh token of each grant.
            var newest = [Int](repeating: 0, count: 8)
            for step in 0..<250 {
                if step.isMultiple(of: 25) { newest = [Int](repeating: 0, count: 8) }
                let operations = (0..<8).map { RandomOperation(slot: $0, step: step, newest: newest[$0], &generator) }
                let found = try await withThrowingTaskGroup(of: (Int, RandomOperation.Outcome).self) { group in
                    for (index, operation) in operations.enumerated() {
                        group.addTask { (index, try await operation.outcome(in: tested)) }
                    }
                    return try await group.reduce(into: [Int: RandomOperation.Outcome]()) { $0[$1.0] = $1.1 }
                }
                for (index, operation) in operations.enumerated() {
                    let right = try await operation.outcome(in: expected)
                    #expect(found[index] == right, "step \(step): \(operation)")
                    outcomes.insert("\(right)")
                    if right.hasNewToken { newest[index] = operation.successor }
                }
            }
            // A history in which nothing happens proves nothing.
            for outcome in [
                "rotated", "reissued", "reused", "first", "replayed", "issued", "proofReplayed", "otherEpoch",
            ] {
                #expect(outcomes.contains { $0.contains(outcome) }, "\(outcome) never happened")
            }
            await tested.close()
        }
    }

    @Test func `what waits at the same time is carried out together, and a replay among it alone is rejected`()
        async throws
    {
        try await PostgreSQLDatabases.shared.withDatabase { text async throws in
            let stores = [
                try await PostgreSQLAuthorizationStorage(PostgreSQLAddress(text), connections: 1),
                try await PostgreSQLAuthorizationStorage(PostgreSQLAddress(text), connections: 1),
            ]
            let epoch = Sample.epoch("a")
            try await stores[0].startReplayMemory(epoch)
            for index in 0..<40 { try await stores[0].signInForToken("\(index)") }
            for round in 0..<10 {
                // Every fifth uses the proof of the one before it, at the other store.
                let rotations = try await withThrowingTaskGroup(of: (Int, Recorded<RefreshRotation>).self) { group in
                    for index in 0..<40 {
                        group.addTask {
                            let proof = index % 5 == 4 ? index - 1 : index
                            let rotation = try await stores[index % 2].rotate(
                                Sample.tokenSecret("\(index) \(round)"),
                                to: Sample.token("\(index) \(round + 1)", grant: "\(index)"),
                                grace: .zero,
                                recording: .proof(Sample.replayKey("\(round) \(proof)"), epoch: epoch),
                                at: Sample.now
                            )
                            return (index, rotation)
                        }
                    }
                    return try await group.reduce(into: [Int: Recorded<RefreshRotation>]()) { $0[$1.0] = $1.1 }
                }
                for index in 0..<40 {
                    let outcome = rotations[index]
                    let isShared = index % 5 >= 3
                    #expect(outcome == .done(.rotated) || isShared && outcome == .proofReplayed)
                    if index % 5 == 4 {
                        #expect((outcome == .proofReplayed) != (rotations[index - 1] == .proofReplayed))
                    }
                    // Whoever was rejected has lost nothing.
                    if outcome == .proofReplayed {
                        let again = try await stores[0].rotate(
                            "\(index) \(round)",
                            to: "\(index) \(round + 1)",
                            grant: "\(index)"
                        )
                        #expect(again == .rotated)
                    }
                }
            }
            for store in stores { await store.close() }
        }
    }

    @Test func `whoever waits for another connection acts on what that one has done`() async throws {
        try await PostgreSQLDatabases.shared.withDatabase { text async throws in
            let store = try await PostgreSQLAuthorizationStorage(PostgreSQLAddress(text))
            let epoch = Sample.epoch("a")
            try await store.startReplayMemory(epoch)
            try await store.signIn("code")
            try await store.signInForToken("token")

            let code = try Sample.codeSecret("code")
            let redeemed = try await Self.meanwhile(
                "UPDATE keybound.codes SET used_by = 1; UPDATE keybound.grants SET client_id = client_id",
                at: text
            ) {
                try await store.redeem(
                    code,
                    issuing: Sample.token("code 0", grant: "code"),
                    until: Sample.now + .seconds(300),
                    recording: .proof(Sample.replayKey("1"), epoch: epoch),
                    at: Sample.now
                )
            }
            #expect(redeemed == .done(.replayed))
            #expect(try await store.refreshToken(Sample.tokenSecret("code 0")) == nil)

            let rotated = try await Self.meanwhile("UPDATE keybound.grants SET revoked_at = 1", at: text) {
                try await store.rotate(
                    Sample.tokenSecret("token 0"),
                    to: Sample.token("token 1", grant: "token"),
                    grace: .zero,
                    recording: .proof(Sample.replayKey("2"), epoch: epoch),
                    at: Sample.now
                )
            }
            #expect(rotated == .done(.unknown))
            await store.close()
        }
    }

    /// Starts an operation while another connection has changed rows and not committed yet.
    ///
    /// - Returns: The outcome of the operation.
    private static func meanwhile<Outcome: Sendable>(
        _ statements: String,
        at address: String,
        _ operation: @escaping @Sendable () async throws -> Outcome
    ) async throws -> Outcome {
        async let other = PostgreSQLQuery.run("BEGIN; \(statements); SELECT pg_sleep(0.7); COMMIT", at: address)
        let isAtWork = """
            SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()
            """
        var seen = false
        for _ in 0..<200 where !seen {
            seen = try await PostgreSQLQuery.run(isAtWork, at: address).contains("1")
        }
        let outcome = try await operation()
        _ = try await other
        return outcome
    }
}

/// One of the operations that PostgreSQL carries out with one statement, with random values.
private struct RandomOperation: Sendable, CustomStringConvertible {
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
        case .readUser: return .user(try await store.user(ofGrant: Sample.grantID(grant)))
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
