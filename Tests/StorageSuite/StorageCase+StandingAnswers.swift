// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import JOSE
import OAuthSystem
import ServerStorage
import Synchronization
import Testing

extension StorageCase {
    /// Codes for requests that are answered at once, from an existing session and consent.
    static let standingAnswers: [StorageCase] = standing + standingRefusals + standingRaces

    private static let standing: [StorageCase] = [
        StorageCase("a session and a consent issue a code for a request that was never stored") {
            store async throws in
            try await store.stand()
            let code = try Sample.code("a", thumbprint: Sample.thumbprint("key"))
            let issuance = try await store.issue(
                code,
                under: Sample.grant("a"),
                in: Sample.hash("browser"),
                by: Sample.consent(),
                at: Sample.now
            )
            #expect(issuance == .issued)
            #expect(try await store.code(Sample.codeSecret("a")) == code)
            #expect(try await store.grant(Sample.grantID("a")) == Sample.grant("a"))
            #expect(try await store.consents(of: "subject") == [Sample.consent()])
        },
        StorageCase("a code that was issued at once is exchanged once, and revoked with its grant") {
            store async throws in
            try await store.stand()
            for label in ["a", "b"] { #expect(try await store.issueAtOnce(label) == .issued) }
            let token = try Sample.token("a 0", grant: "a")
            #expect(try await store.redeem(Sample.codeSecret("a"), issuing: token, at: Sample.now) == .first)
            #expect(try await store.redeem(Sample.codeSecret("a"), issuing: nil, at: Sample.now) == .replayed)
            #expect(try await !store.isInForce("a"))
            try await store.revokeGrant(Sample.grantID("b"), at: Sample.now)
            #expect(try await store.redeem(Sample.codeSecret("b"), issuing: nil, at: Sample.now) == .unknown)
        },
    ]

    private static let standingRefusals: [StorageCase] = [
        StorageCase("without a session of that user nothing is issued at once") { store async throws in
            try await store.stand()
            let end = Sample.now + .seconds(3600)
            #expect(try await store.issueAtOnce("a", in: "never") == .sessionEnded)
            #expect(try await store.issueAtOnce("a", at: end) == .sessionEnded)
            // The session of another user, who has an account as well.
            #expect(try await store.add(Sample.user("bob", subject: "subject of other")))
            try await store.start(Sample.session("other"), replacing: nil)
            #expect(try await store.issueAtOnce("a", in: "other") == .sessionEnded)
            try await store.endSession(Sample.hash("browser"))
            #expect(try await store.issueAtOnce("a") == .sessionEnded)
            #expect(try await !store.isInForce("a"))
            #expect(try await store.code(Sample.codeSecret("a")) == nil)
        },
        StorageCase("without an account nothing is issued at once, whatever the session says") {
            store async throws in
            try await store.stand()
            #expect(try await store.removeUser("subject", at: Sample.now))
            try await store.start(Sample.session("browser", of: "subject"), replacing: nil)
            #expect(try await store.issueAtOnce("a") == .sessionEnded)
            #expect(try await !store.isInForce("a"))
        },
        StorageCase("without a consent that covers the request nothing is issued at once") { store async throws in
            try await store.stand()
            let uncovered = [try Sample.consent("api:write"), try Sample.consent(details: "more")]
            for consent in uncovered + [try Sample.consent(clientID: "other")] {
                #expect(try await store.issueAtOnce("a", by: consent) == .consentWithdrawn)
            }
            #expect(try await store.withdrawConsent(of: "subject", to: Sample.clientID, at: Sample.now))
            #expect(try await store.issueAtOnce("a") == .consentWithdrawn)
            #expect(try await !store.isInForce("a"))
            #expect(try await store.code(Sample.codeSecret("a")) == nil)
        },
        StorageCase("a challenge works once, for stored requests and others alike") {
            store async throws in
            try await store.stand()
            #expect(try await store.issueAtOnce("a", challenge: "stand") == .challengeReused)
            #expect(try await !store.isInForce("a"))
            #expect(try await store.issueAtOnce("a") == .issued)
            #expect(try await store.issueAtOnce("b", challenge: "a") == .challengeReused)
            #expect(try await store.issue("c", challenge: "a") == .challengeReused)
        },
        StorageCase("a code or grant that is already stored, or of another grant, is not issued at once") {
            store async throws in
            try await store.stand()
            #expect(try await store.issueAtOnce("a") == .issued)
            for (code, grant) in try Sample.conflictsWithA() {
                await #expect(throws: (any Error).self) {
                    try await store.issue(
                        code,
                        under: grant,
                        in: Sample.hash("browser"),
                        by: Sample.consent(),
                        at: Sample.now
                    )
                }
            }
            #expect(try await store.code(Sample.codeSecret("a")) == Sample.code("a"))
            #expect(try await !store.isInForce("b"))
            #expect(try await store.issueAtOnce("b") == .issued)
        },
    ]

    private static let standingRaces: [StorageCase] = [
        StorageCase(race: "of 64 codes for one challenge one is issued at once") { handles async throws in
            try await handles[0].stand()
            let outcomes = try await Race.run(handles) { store, task in
                try await store.issueAtOnce("\(task)", challenge: "same")
            }
            #expect(outcomes.count(of: .issued) == 1)
            #expect(outcomes.count(of: .challengeReused) == Race.size - 1)
            for (task, outcome) in outcomes.enumerated() {
                #expect(try await handles[0].isInForce("\(task)") == (outcome == .issued))
            }
        },
        StorageCase(race: "after the end of a session is confirmed, it issues nothing at once") {
            handles async throws in
            try await handles[0].stand()
            try await expectNothingOnceOver(handles, .sessionEnded) { store async throws in
                try await store.endSession(Sample.hash("browser"))
            }
        },
        StorageCase(race: "after the withdrawal of a consent is confirmed, it issues nothing at once") {
            handles async throws in
            try await handles[0].stand()
            try await expectNothingOnceOver(handles, .consentWithdrawn) { store async throws in
                _ = try await store.withdrawConsent(of: "subject", to: Sample.clientID, at: Sample.now)
            }
            for task in 0..<Race.size { #expect(try await !handles[0].isInForce("\(task)")) }
        },
        StorageCase(race: "codes that are issued at once, racing the removal of the account, leave no grant in force") {
            handles async throws in
            try await handles[0].stand()
            try await expectNothingOnceOver(handles, .sessionEnded) { store async throws in
                #expect(try await store.removeUser("subject", at: Sample.now))
            }
            for task in 0..<Race.size { #expect(try await !handles[0].isInForce("\(task)")) }
        },
        StorageCase(race: "a grant that is revoked while its code is exchanged stays revoked") { handles async throws in
            try await handles[0].stand()
            for task in 0..<Race.size { #expect(try await handles[0].issueAtOnce("\(task)") == .issued) }
            let outcomes = try await Race.run(handles) { store, task in
                let token = try Sample.token("\(task) 0", grant: "\(task)")
                async let revocation: Void = handles[(task + 1) % handles.count]
                    .revokeGrant(Sample.grantID("\(task)"), at: Sample.now)
                let redemption = try await store.redeem(Sample.codeSecret("\(task)"), issuing: token, at: Sample.now)
                try await revocation
                return redemption
            }
            for (task, outcome) in outcomes.enumerated() {
                #expect(outcome == .first || outcome == .unknown)
                #expect(try await !handles[0].isInForce("\(task)"))
                #expect(try await handles[0].rotate("\(task) 0", to: "\(task) 1", grant: "\(task)") == .unknown)
            }
        },
    ]

    /// Issues codes at once while a task ends what they are based on, and again after that is confirmed.
    private static func expectNothingOnceOver(
        _ handles: [any AuthorizationStorage],
        _ refusal: CodeIssuance,
        _ end: @escaping @Sendable (any AuthorizationStorage) async throws -> Void
    ) async throws {
        let flag = Flag()
        _ = try await Race.run(handles) { store, task in
            guard task != Race.size / 2 else {
                try await end(store)
                return flag.isUp.store(true, ordering: .sequentiallyConsistent)
            }
            let wasOver = flag.isUp.load(ordering: .sequentiallyConsistent)
            let issuance = try await store.issueAtOnce("\(task)")
            #expect(issuance == refusal || !wasOver && issuance == .issued)
        }
        for (index, store) in handles.enumerated() {
            #expect(try await store.issueAtOnce("after \(index)") == refusal)
        }
    }
}

/// A flag that one task sets for all others.
private final class Flag: Sendable {
    let isUp = Atomic(false)
}

extension AuthorizationStorage {
    /// Stores an account, a session and a remembered consent.
    fileprivate func stand() async throws {
        #expect(try await add(Sample.user("alice", subject: "subject")))
        try await start(Sample.session("browser", of: "subject"), replacing: nil)
        #expect(try await issue("stand", by: .givenToRemember(Sample.consent())) == .issued)
    }

    /// Issues the code of a label for a request that is not stored.
    fileprivate func issueAtOnce(
        _ label: String,
        challenge: String? = nil,
        in session: String = "browser",
        by consent: StoredConsent? = nil,
        at now: Timestamp = Sample.now
    ) async throws -> CodeIssuance {
        try await issue(
            Sample.code(label, challenge: challenge),
            under: Sample.grant(label),
            in: Sample.hash(session),
            by: consent ?? Sample.consent(),
            at: now
        )
    }
}
