// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import DPoP
import JOSE
import OAuthSystem
import ServerStorage
import Testing

/// What is recorded with a change is stored with it, or neither is.
extension StorageCase {
    static let recording: [StorageCase] = refusedRecordings + recordingMemory

    private static let refusedRecordings: [StorageCase] = [
        StorageCase("a replayed proof changes nothing, not even by revoking") { store async throws in
            try await store.signInForToken("a")
            try await store.signIn("b")
            let key = try Sample.replayKey("1")
            #expect(try await store.record(.proof(key), at: Sample.now).isDone)
            let replay = Recording.proof(key)
            let successor = try Sample.token("a 1", grant: "a")
            let (token, code) = (try Sample.tokenSecret("a 0"), try Sample.codeSecret("a"))
            let end = Sample.now + .seconds(300)
            #expect(
                try await store.rotate(token, to: successor, grace: .zero, recording: replay, at: Sample.now)
                    == .proofReplayed
            )
            // This code was used before: without the proof, it would be a replay that revokes.
            #expect(
                try await store.redeem(code, issuing: nil, until: end, recording: replay, at: Sample.now)
                    == .proofReplayed
            )
            #expect(try await store.prolong(token, until: end, recording: replay, at: Sample.now) == .proofReplayed)
            #expect(
                try await store.redeem(
                    Sample.codeSecret("b"),
                    issuing: nil,
                    until: end,
                    recording: replay,
                    at: Sample.now
                ) == .proofReplayed
            )
            let revocation = try await store.revokeGrant(Sample.grantID("a"), recording: replay, at: Sample.now)
            #expect(!revocation.isDone)
            let grant = try await store.record(Sample.grant("c"), until: end, recording: replay, at: Sample.now)
            #expect(!grant.isDone)
            let request = try await store.add(Sample.request("c"), recording: replay, at: Sample.now)
            #expect(!request.isDone)
            #expect(try await store.isInForce("a"))
            #expect(try await !store.isInForce("c"))
            #expect(try await store.authorizationRequest(Sample.hash("request c"), at: Sample.now) == nil)
            #expect(try await store.rotate("a 0", to: "a 1", grant: "a") == .rotated)
            #expect(try await store.redeem(Sample.codeSecret("b"), issuing: nil, at: Sample.now) == .first)
        },
        StorageCase("a replayed proof changes nothing about a device") { store async throws in
            let replay = Recording.proof(try Sample.replayKey("1"))
            #expect(try await store.record(.proof(Sample.replayKey("1")), at: Sample.now).isDone)
            #expect(try await store.add(Sample.device("a"), recording: replay, at: Sample.now) == .proofReplayed)
            #expect(try await store.deviceAuthorization(Sample.deviceSecret("a")) == nil)
            try await store.waitForPerson("a")
            let code = try Sample.deviceSecret("a")
            for _ in 1...2 {
                #expect(try await store.pollDevice(code, recording: replay, at: Sample.now) == .proofReplayed)
            }
            #expect(try await store.allow("a"))
            let redemption = try await store.redeemDevice(
                code,
                issuing: nil,
                until: Sample.now,
                recording: replay,
                at: Sample.now
            )
            #expect(redemption == .proofReplayed)
            #expect(try await store.redeem(device: "a", token: nil) == .first)
        },
        StorageCase("of an assertion and a proof both are recorded, or none") { store async throws in
            let (assertion, proof) = (try Sample.replayKey("assertion"), try Sample.replayKey("proof"))
            var both = Recording.proof(proof)
            both.assertion = SingleUseEntry(key: assertion, end: Sample.now + .seconds(60), pool: .assertions)
            #expect(try await store.record(.proof(proof), at: Sample.now).isDone)
            #expect(try await !store.record(both, at: Sample.now).isDone)
            // The assertion can still be used, with another proof.
            both.proof = nil
            #expect(try await store.record(both, at: Sample.now).isDone)
            var again = Recording.proof(try Sample.replayKey("new"))
            again.assertion = both.assertion
            guard case .assertionReplayed = try await store.record(again, at: Sample.now) else {
                throw UnexpectedRecord(what: "a replayed assertion")
            }
            #expect(try await store.record(.proof(Sample.replayKey("new")), at: Sample.now).isDone)
        },
        StorageCase("an opaque access token is stored with its change, or not at all") { store async throws in
            try await store.signInForToken("a")
            let key = try Sample.replayKey("1")
            #expect(try await store.record(.proof(key), at: Sample.now).isDone)
            let secret = try Sample.accessTokenSecret("1", grant: "a")
            for (proof, isStored) in [(key, false), (try Sample.replayKey("2"), true)] {
                var recording = Recording.proof(proof)
                recording.accessToken = try Sample.accessToken("1", grant: "a")
                _ = try await store.rotate(
                    Sample.tokenSecret("a 0"),
                    to: Sample.token("a 1", grant: "a"),
                    grace: .zero,
                    recording: recording,
                    at: Sample.now
                )
                #expect(try await (store.liveAccessToken(secret, at: Sample.now) != nil) == isStored)
            }
        },
        StorageCase("a change that fails records nothing") { store async throws in
            try await store.signInForToken("a")
            let recording = Recording.proof(try Sample.replayKey("1"))
            await #expect(throws: (any Error).self) {
                try await store.rotate(
                    Sample.tokenSecret("a 0"),
                    to: Sample.token("a 1", grant: "of another"),
                    grace: .zero,
                    recording: recording,
                    at: Sample.now
                )
            }
            #expect(try await store.record(.proof(Sample.replayKey("1")), at: Sample.now).isDone)
        },
        StorageCase("a taken user code records nothing: the device tries again with the same proof") {
            store async throws in
            #expect(try await store.add(Sample.device("a")))
            let recording = Recording.proof(try Sample.replayKey("1"), in: .pushed)
            let taken = try Sample.device("b", userCode: "a")
            #expect(try await store.add(taken, recording: recording, at: Sample.now) == .done(false))
            #expect(try await store.add(Sample.device("b"), recording: recording, at: Sample.now) == .done(true))
            let again = Recording.proof(try Sample.replayKey("1"))
            #expect(try await store.add(Sample.device("c"), recording: again, at: Sample.now) == .proofReplayed)
        },
        StorageCase(race: "of 64 changes with one proof one is carried out") { handles async throws in
            for task in 0..<Race.size { try await handles[0].signInForToken("\(task)") }
            let outcomes = try await Race.run(handles) { store, task in
                try await store.rotate(
                    Sample.tokenSecret("\(task) 0"),
                    to: Sample.token("\(task) 1", grant: "\(task)"),
                    grace: .zero,
                    recording: .proof(Sample.replayKey("1")),
                    at: Sample.now
                )
            }
            #expect(outcomes.count(of: .done(.rotated)) == 1)
            #expect(outcomes.count(of: .proofReplayed) == Race.size - 1)
            for (task, outcome) in outcomes.enumerated() {
                let token = try Sample.tokenSecret("\(task) 0")
                let isUnused = try await handles[0].liveRefreshToken(token, at: Sample.now) != nil
                #expect(isUnused == (outcome == .proofReplayed))
            }
        },
    ]

    private static let recordingMemory: [StorageCase] = [
        StorageCase("a proof of another replay memory is not recorded, and changes nothing") { store async throws in
            let secret = DPoPNonceSecret(number: 1, bytes: Sample.hash("1").bytes)
            _ = try await store.nonceSecrets(keeping: secret)
            try await store.signInForToken("a")
            let other = Recording.proof(try Sample.replayKey("1"), epoch: Sample.epoch("another"))
            let token = try Sample.tokenSecret("a 0")
            let successor = try Sample.token("a 1", grant: "a")
            #expect(
                try await store.rotate(token, to: successor, grace: .zero, recording: other, at: Sample.now)
                    == .otherEpoch(Sample.epoch("a"))
            )
            let same = Recording.proof(try Sample.replayKey("1"), epoch: Sample.epoch("a"))
            #expect(
                try await store.rotate(token, to: successor, grace: .zero, recording: same, at: Sample.now)
                    == .done(.rotated)
            )
        },
        StorageCase("a new replay memory takes no proof of the one before, and remembers assertions") {
            store async throws in
            let secret = DPoPNonceSecret(number: 1, bytes: Sample.hash("1").bytes)
            _ = try await store.nonceSecrets(keeping: secret)
            let proof = try Sample.replayKey("1")
            var both = Recording.proof(proof, epoch: Sample.epoch("a"))
            both.assertion = SingleUseEntry(
                key: try Sample.replayKey("assertion"),
                end: Sample.now + .seconds(300),
                pool: .assertions
            )
            #expect(try await store.record(both, at: Sample.now).isDone)
            let remembered = SingleUseEntry.Pool.allCases.filter { !$0.holdsProofs }
            for pool in remembered {
                let key = try Sample.replayKey("\(pool)")
                #expect(try await store.record(.assertion(key, in: pool), at: Sample.now).isDone)
            }
            try await store.startReplayMemory(Sample.epoch("b"))
            for pool in remembered {
                let key = try Sample.replayKey("\(pool)")
                #expect(try await !store.record(.assertion(key, in: pool), at: Sample.now).isDone, "\(pool)")
            }
            let former = Recording.proof(proof, epoch: Sample.epoch("a"))
            guard case .otherEpoch(Sample.epoch("b")) = try await store.record(former, at: Sample.now) else {
                throw UnexpectedRecord(what: "a proof of the memory before")
            }
            var assertion = Recording.unique
            assertion.assertion = both.assertion
            #expect(try await !store.record(assertion, at: Sample.now).isDone)
            let secrets = try await store.nonceSecrets(
                replacingAfter: .seconds(100),
                with: secret,
                starting: Sample.epoch("c"),
                at: Sample.now
            )
            #expect(secrets.epoch == Sample.epoch("b"))
        },
        StorageCase("assertions and proofs of pushed requests have limits of their own") { store async throws in
            let key = try Sample.replayKey("1")
            for pool in SingleUseEntry.Pool.allCases {
                let end = Sample.now + .seconds(60)
                let first = try await store.insert(Sample.replayKey("\(pool)"), in: pool, until: end, now: Sample.now)
                #expect(first == .inserted)
            }
            // One table: what was used in one pool cannot be used in another.
            #expect(try await store.record(.proof(key, in: .pushed), at: Sample.now).isDone)
            #expect(try await !store.record(.proof(key, in: .granted), at: Sample.now).isDone)
        },
    ]
}

extension Recorded {
    /// Whether the change was carried out.
    var isDone: Bool {
        if case .done = self { true } else { false }
    }
}
