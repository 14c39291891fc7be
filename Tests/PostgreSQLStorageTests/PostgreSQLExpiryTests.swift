// SPDX-License-Identifier: Apache-2.0

import DPoP
import OAuthCore
import OAuthSystem
import PostgreSQLServer
import PostgreSQLStorage
import ServerStorage
import StorageSuite
import Testing

@Suite("PostgreSQL: deleting what expired", .disabled(if: PostgreSQLDatabases.areLeftOut))
struct PostgreSQLExpiryTests {
    @Test func `a server can compare its clock with that of the database`() async throws {
        try await PostgreSQLDatabases.shared.withDatabase { text async throws in
            let store = try await PostgreSQLAuthorizationStorage(PostgreSQLAddress(text))
            let before = SystemWallClock().now()
            let time = try await store.currentTime()
            // Both run on this machine.
            #expect(time >= before - .seconds(1) && time <= SystemWallClock().now() + .seconds(1))
            await store.close()
        }
    }

    enum Kind: CaseIterable {
        case request, session, firstPartySession, accessToken, grant, device, attempt, registrationToken, client, proof

        func add(_ label: String, to store: PostgreSQLAuthorizationStorage) async throws {
            switch self {
            case .request: try await store.add(Sample.request(label))
            case .session: try await store.start(Sample.session(label), replacing: nil)
            case .firstPartySession: try await store.begin(Sample.firstParty(label))
            case .accessToken:
                try await store.signInForToken(label)
                try await store.add(Sample.accessToken("1", grant: label))
            case .grant: try await store.signInForToken(label)
            case .device: _ = try await store.add(Sample.device(label))
            case .attempt:
                try await store.changeAttempts(of: [AttemptKey("test", label)], at: Sample.now) { states in
                    states = [AttemptState(count: 1, time: Sample.now, expiresAt: Sample.now + .seconds(60))]
                }
            case .registrationToken:
                try await store.add(
                    StoredRegistrationToken(
                        tokenHash: Sample.hash(label),
                        usesLeft: 1,
                        expiresAt: Sample.now + .seconds(60),
                        policy: RegistrationTokenPolicy(scope: try Scope(parsing: "a"))
                    )
                )
            case .client:
                var client = try Sample.client(label)
                client.expiresAt = Sample.now + .seconds(60)
                _ = try await store.add(client)
            case .proof:
                var recording = Recording(.unique)
                recording.proof = SingleUseEntry(
                    key: try Sample.replayKey(label),
                    end: Sample.now + .seconds(300),
                    pool: .granted,
                    epoch: Sample.epoch("a")
                )
                guard case .done = try await store.record(recording, at: Sample.now) else { throw CancellationError() }
            }
        }
    }

    /// For a table that had one row when its statistics were made, PostgreSQL runs a query behind `IN` for each row anew.
    @Test(arguments: Kind.allCases)
    func `no more rows than the limit go, whatever the statistics of their table say`(kind: Kind) async throws {
        try await PostgreSQLDatabases.shared.withDatabase { text async throws in
            let store = try await PostgreSQLAuthorizationStorage(PostgreSQLAddress(text))
            try await store.startReplayMemory(Sample.epoch("a"))
            try await kind.add("0", to: store)
            _ = try await PostgreSQLQuery.run("ANALYZE", at: text)
            for label in 1..<6 { try await kind.add("\(label)", to: store) }
            let later = Sample.now + .seconds(40 * 86_400)
            for limit in [1, 2] { #expect(try await store.deleteExpired(at: later, limit: limit) == limit) }
            #expect(try await store.deleteExpired(at: later, limit: 100) >= 3)
            #expect(try await store.deleteExpired(at: later, limit: 100) == 0)
            await store.close()
        }
    }
}
