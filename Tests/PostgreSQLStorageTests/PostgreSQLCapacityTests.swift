// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import DPoP
import OAuthSystem
import PostgreSQLServer
import PostgreSQLStorage
import ServerStorage
import StorageSuite
import Testing

@Suite("PostgreSQL: limits of used proofs", .disabled(if: PostgreSQLDatabases.areLeftOut))
struct PostgreSQLCapacityTests {
    private static let epoch = Sample.epoch("a")

    /// Records a proof that expires after five minutes.
    private static func record(
        _ jti: String,
        of owner: String,
        in pool: SingleUseEntry.Pool = .granted,
        epoch: ReplayEpoch? = epoch,
        after time: Duration = .zero,
        _ store: PostgreSQLAuthorizationStorage
    ) async throws -> Recorded<Void> {
        var recording = Recording(.unique)
        recording.proof = SingleUseEntry(
            key: try Sample.replayKey(jti, owner: owner),
            end: Sample.now + time + .seconds(300),
            pool: pool,
            epoch: epoch
        )
        return try await store.record(recording, at: Sample.now + time)
    }

    private func withStore(
        perKey: Int = 50,
        in all: Int = 50,
        _ body: @Sendable (PostgreSQLAuthorizationStorage) async throws -> Void
    ) async throws {
        try await PostgreSQLDatabases.shared.withDatabase { text async throws in
            let store = try await PostgreSQLAuthorizationStorage(
                PostgreSQLAddress(text),
                replayCapacity: all,
                replayCapacityPerKey: perKey
            )
            try await store.startReplayMemory(Self.epoch)
            try await body(store)
            await store.close()
        }
    }

    // With a nonce a proof is recorded with one statement, without one step by step.
    @Test(arguments: [epoch, nil])
    func `a key that used its share is rejected until its proofs expire, and another is not`(
        epoch: ReplayEpoch?
    ) async throws {
        try await withStore(perKey: 3) { store async throws in
            for index in 0..<3 {
                #expect(try await Self.record("\(index)", of: "a", epoch: epoch, store).isDone)
            }
            #expect(try await Self.record("3", of: "a", epoch: epoch, store).isFull)
            #expect(try await Self.record("3", of: "b", epoch: epoch, store).isDone)
            // What was refused for want of space was not recorded, and a replay is a replay all the same.
            #expect(try await !Self.record("0", of: "a", epoch: epoch, store).isDone)
            #expect(try await Self.record("4", of: "a", epoch: epoch, after: .seconds(299), store).isFull)
            #expect(try await Self.record("3", of: "a", epoch: epoch, after: .seconds(361), store).isDone)
        }
    }

    @Test func `a clock that was ahead and is set right leaves counts that end with the proofs`() async throws {
        try await withStore(perKey: 3) { store async throws in
            #expect(try await Self.record("0", of: "a", after: .seconds(86_400), store).isDone)
            for index in 1..<3 { #expect(try await Self.record("\(index)", of: "a", store).isDone) }
            #expect(try await Self.record("3", of: "a", store).isFull)
            #expect(try await Self.record("3", of: "a", after: .seconds(361), store).isDone)
        }
    }

    @Test func `a pool that is full refuses every key, and no other pool`() async throws {
        try await withStore(in: 4) { store async throws in
            for index in 0..<4 { #expect(try await Self.record("x", of: "\(index)", store).isDone) }
            #expect(try await Self.record("x", of: "4", store).isFull)
            #expect(try await Self.record("y", of: "4", in: .pushed, store).isDone)
            for pool in SingleUseEntry.Pool.allCases where !pool.holdsProofs {
                #expect(try await Self.record("z \(pool)", of: "4", in: pool, epoch: nil, store).isDone, "\(pool)")
            }
            // A new memory is empty.
            try await store.startReplayMemory(Sample.epoch("b"))
            #expect(try await Self.record("x", of: "4", epoch: Sample.epoch("b"), store).isDone)
        }
    }

    @Test func `a change that is not carried out takes no space`() async throws {
        try await withStore(perKey: 2) { store async throws in
            #expect(try await Self.record("0", of: "a", store).isDone)
            for _ in 0..<5 { #expect(try await !Self.record("0", of: "a", store).isDone) }
            for _ in 0..<5 {
                #expect(try await !Self.record("1", of: "a", epoch: Sample.epoch("another"), store).isDone)
            }
            #expect(try await Self.record("1", of: "a", store).isDone)
            #expect(try await Self.record("2", of: "a", store).isFull)
        }
    }
}

extension Recorded {
    fileprivate var isDone: Bool {
        if case .done = self { true } else { false }
    }

    fileprivate var isFull: Bool {
        if case .full = self { true } else { false }
    }
}
