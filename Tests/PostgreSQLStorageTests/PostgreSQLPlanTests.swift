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

    /// What a connection did last is the statement of a plan; step by step it is a COMMIT.
    @Test func `the usual course of a session is carried out without a step-by-step transaction`() async throws {
        try await PostgreSQLDatabases.shared.withDatabase { text async throws in
            let store = try await PostgreSQLAuthorizationStorage(PostgreSQLAddress(text), connections: 1)
            let epoch = Sample.epoch("a")
            try await store.startReplayMemory(epoch)
            _ = try await store.add(Sample.user("ada", subject: "subject"))
            var session = Sample.session("session")
            session.subject = "subject"
            let sessionHash = session.idHash
            try await store.start(session, replacing: nil)
            try await store.add(Sample.request("consent"))
            _ = try await store.issue(
                Sample.code("consent"),
                under: Sample.grant("consent"),
                consuming: Sample.hash("request consent"),
                by: .givenToRemember(Sample.consent()),
                at: Sample.now
            )
            let (code, token) = (try Sample.codeSecret("a"), try Sample.tokenSecret("a 0"))
            let (now, id) = (Sample.now, Sample.clientID)
            func expectPlan(_ what: String, _ operation: () async throws -> Void) async throws {
                try await operation()
                let last = try await PostgreSQLQuery.run(
                    """
                    SELECT query FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
                    ORDER BY state_change DESC LIMIT 1
                    """,
                    at: text
                )
                #expect(last.first.map { !$0.isEmpty && $0 != "COMMIT" } == true, "\(what): \(last)")
            }
            try await expectPlan("read of a client") {
                _ = try await store.reads(ofClient: id, in: sessionHash, at: now)
            }
            try await expectPlan("read of a consent") {
                _ = try await store.consent(of: "subject", to: id, details: Sample.hash("nothing"))
            }
            try await expectPlan("issuance") {
                let grant = try Sample.grant("a")
                _ = try await store.issue(
                    Sample.code("a"),
                    under: grant,
                    in: sessionHash,
                    by: Sample.consent(),
                    at: now
                )
            }
            try await expectPlan("read of a code") { _ = try await store.reads(ofCode: code, for: id) }
            try await expectPlan("redemption") {
                let first = try Sample.token("a 0", grant: "a")
                let proof = try Recording.proof(Sample.replayKey("1"), epoch: epoch)
                _ = try await store.redeem(code, issuing: first, until: now, recording: proof, at: now)
            }
            try await expectPlan("read of a token") { _ = try await store.reads(ofRefreshToken: token, for: id) }
            try await expectPlan("rotation") {
                let next = try Sample.token("a 1", grant: "a")
                let proof = try Recording.proof(Sample.replayKey("2"), epoch: epoch)
                _ = try await store.rotate(token, to: next, grace: .zero, recording: proof, at: now)
            }
            try await expectPlan("read of a user") { _ = try await store.user(ofGrant: Sample.grantID("a")) }
            try await expectPlan("proof and read of a user") {
                let proof = try Recording.proof(Sample.replayKey("4"), epoch: epoch)
                _ = try await store.user(ofGrant: Sample.grantID("a"), recording: proof, at: now)
            }
            try await expectPlan("record") {
                _ = try await store.record(.proof(Sample.replayKey("3"), epoch: epoch), at: now)
            }
            await store.close()
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
