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

@Suite("PostgreSQL: what becomes of changes whose connection is lost", .disabled(if: PostgreSQLDatabases.areLeftOut))
struct PostgreSQLRepeatTests {
    // With a nonce it is one statement, and step by step after the connection was lost.
    @Test(arguments: [nil, Sample.epoch("a")])
    func `a rotation that is cut at any byte is carried out once, and is no reuse`(epoch: ReplayEpoch?) async throws {
        try await withProxy { store, direct, proxy async throws in
            try await direct.startReplayMemory(Sample.epoch("a"))
            var generator = SeededGenerator(seed: 28)
            try await direct.signInForToken("a")
            for round in 0..<150 {
                let recording = try Recording.proof(Sample.replayKey("\(round)"), epoch: epoch)
                proxy.cut(after: Int.random(in: 0..<1500, using: &generator))
                let rotation = try await store.rotate(
                    Sample.tokenSecret("a \(round)"),
                    to: Sample.token("a \(round + 1)", grant: "a"),
                    grace: .zero,
                    recording: recording,
                    at: Sample.now
                )
                proxy.cut(after: nil)
                #expect(try rotation.outcome() == .rotated, "round \(round)")
                let isLive =
                    try await direct.liveRefreshToken(Sample.tokenSecret("a \(round + 1)"), at: Sample.now) != nil
                #expect(isLive, "round \(round)")
                // The proof is recorded with the change.
                let again = try Recording.proof(Sample.replayKey("\(round)"), epoch: epoch)
                guard case .proofReplayed = try await direct.record(again, at: Sample.now) else {
                    Issue.record("the proof of round \(round) was not recorded")
                    return
                }
            }
            #expect(proxy.cuts > 75)
        }
    }

    @Test func `a code that is redeemed over a cut connection is redeemed once, for the same caller`() async throws {
        try await withProxy { store, direct, proxy async throws in
            var generator = SeededGenerator(seed: 29)
            for round in 0..<60 {
                let label = "r\(round)"
                try await direct.signIn(label)
                proxy.cut(after: Int.random(in: 0..<1500, using: &generator))
                let token = try Sample.token("\(label) 0", grant: label)
                #expect(try await store.redeem(Sample.codeSecret(label), issuing: token, at: Sample.now) == .first)
                proxy.cut(after: nil)
                #expect(try await direct.isInForce(label))
                // Another caller is a replay, and it still revokes.
                #expect(try await store.redeem(Sample.codeSecret(label), issuing: nil, at: Sample.now) == .replayed)
                #expect(try await !direct.isInForce(label))
            }
        }
    }

    @Test func `what is removed over a cut connection counts as removed`() async throws {
        try await withProxy { store, direct, proxy async throws in
            for bytes in stride(from: 100, to: 1600, by: 50) {
                #expect(try await direct.add(Sample.user("u\(bytes)", subject: "s\(bytes)")))
                proxy.cut(after: bytes)
                #expect(try await store.removeUser("s\(bytes)", at: Sample.now))
                proxy.cut(after: nil)
                #expect(try await direct.user(subject: "s\(bytes)") == nil)
            }
        }
    }

    private func withProxy(
        _ body:
            @Sendable (PostgreSQLAuthorizationStorage, PostgreSQLAuthorizationStorage, CuttingProxy) async throws
            -> Void
    ) async throws {
        try await PostgreSQLDatabases.shared.withDatabase { text async throws in
            let parts = text.split(separator: "?host=")
            let proxy = try CuttingProxy(to: "\(parts[1])/.s.PGSQL.5432")
            let direct = try await PostgreSQLAuthorizationStorage(PostgreSQLAddress(text))
            let cut = try PostgreSQLAddress("\(parts[0])?host=\(proxy.directory)")
            let store = try await PostgreSQLAuthorizationStorage(cut, connections: 1)
            try await body(store, direct, proxy)
            await store.close()
            await direct.close()
            proxy.stop()
        }
    }
}
