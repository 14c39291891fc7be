// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import OAuthSystem
import ServerStorage
import Testing

/// What ends the session of a user.
enum SessionEnding: CaseIterable {
    case signOut, newPassword, removal
}

extension StorageCase {
    /// Decisions about stored requests in sessions that are over.
    static let endedSessions: [StorageCase] = [
        StorageCase("a decision in a session that has ended issues nothing, remembers nothing and consumes nothing") {
            store async throws in
            for ending in SessionEnding.allCases {
                let (label, session) = ("\(ending)", try await store.signedIn())
                try await store.end(session, by: ending)
                let decision = ConsentDecision.givenToRemember(try Sample.consent())
                #expect(try await store.issue(label, in: session, by: decision) == .sessionEnded, "\(ending)")
                #expect(try await !store.isInForce(label))
                #expect(try await store.code(Sample.codeSecret(label)) == nil)
                #expect(try await store.consents(of: "subject").isEmpty)
                #expect(try await store.authorizationRequest(Sample.hash("request \(label)"), at: Sample.now) != nil)
            }
        },
        StorageCase("a device cannot be allowed in a session that has ended, and can be in the next one") {
            store async throws in
            for ending in SessionEnding.allCases {
                let (label, session) = ("\(ending)", try await store.signedIn())
                try await store.waitForPerson(label)
                try await store.end(session, by: ending)
                #expect(try await !store.allow(label, by: session), "\(ending)")
                #expect(try await store.poll(label) == .pending)
                #expect(try await !store.isInForce(label))
                #expect(try await store.authorizationRequest(Sample.hash("request \(label)"), at: Sample.now) != nil)
                #expect(try await store.allow(label))
                #expect(try await store.isInForce(label))
            }
        },
        StorageCase("a decision counts only in a session of the user of the grant, and a used request stays used") {
            store async throws in
            _ = try await store.signedIn()
            let other = try await store.signedIn("other")
            var expired = Sample.session("expired", of: "subject")
            expired.expiresAt = Sample.now
            try await store.start(expired, replacing: nil)
            for (label, session) in [("a", other), ("b", Sample.hash("never")), ("c", expired.idHash)] {
                #expect(try await store.issue(label, in: session) == .sessionEnded, "\(label)")
                #expect(try await !store.isInForce(label))
                try await store.waitForPerson("device \(label)")
                #expect(try await !store.allow("device \(label)", by: session), "\(label)")
                #expect(try await !store.isInForce("device \(label)"))
            }
            let request = Sample.hash("request a")
            #expect(try await store.consumeAuthorizationRequest(request, at: Sample.now))
            let issuance = try await store.issue(
                Sample.code("a"),
                under: Sample.grant("a"),
                consuming: request,
                in: other,
                by: .given,
                at: Sample.now
            )
            #expect(issuance == .requestUsed)
        },
        StorageCase(race: "decisions racing the end of their session count before it and not after it") {
            handles async throws in
            for ending in SessionEnding.allCases {
                let session = try await handles[0].signedIn()
                let labels = (0..<Race.size).map { "\(ending) \($0)" }
                for (task, label) in labels.enumerated() {
                    if task.isMultiple(of: 2) {
                        try await handles[0].waitForPerson(label)
                    } else {
                        try await handles[0].add(Sample.request(label))
                    }
                }
                let decisions = try await Race.run(handles) { store, task async throws in
                    guard task != Race.size / 2 else {
                        try await store.end(session, by: ending)
                        return false
                    }
                    let label = labels[task]
                    if task.isMultiple(of: 2) { return try await store.allow(label, by: session) }
                    let issuance = try await store.issue(
                        Sample.code(label),
                        under: Sample.grant(label),
                        consuming: Sample.hash("request \(label)"),
                        in: session,
                        by: .givenToRemember(Sample.consent()),
                        at: Sample.now
                    )
                    #expect(issuance == .issued || issuance == .sessionEnded)
                    return issuance == .issued
                }
                // The removal of the account also revokes what came before it.
                for (label, isGiven) in zip(labels, decisions) {
                    #expect(try await handles[0].isInForce(label) == (isGiven && ending != .removal), "\(label)")
                }
                if ending == .removal { #expect(try await handles[0].consents(of: "subject").isEmpty) }
                #expect(try await handles[0].issue("after \(ending)", in: session) == .sessionEnded)
            }
        },
    ]
}

extension AuthorizationStorage {
    /// Ends a session of the user of every grant.
    fileprivate func end(_ session: SecretHash, by ending: SessionEnding) async throws {
        switch ending {
        case .signOut: try await endSession(session)
        case .newPassword: #expect(try await setPassword(PasswordHash(stored: "$scrypt$another"), of: "subject"))
        case .removal: #expect(try await removeUser("subject", at: Sample.now))
        }
    }
}
