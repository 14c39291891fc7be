// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import OAuthCore
import OAuthSystem
import ServerStorage
import Testing

/// Sign-ins without a browser.
extension StorageCase {
    static let firstParty: [StorageCase] = firstPartySteps + firstPartyEndings + firstPartyReads

    private static let firstPartySteps: [StorageCase] = [
        StorageCase("first party: a session is read as it was stored, and again after each step") {
            store async throws in
            #expect(try await store.add(Sample.account))
            try await store.begin(Sample.firstParty("a"))
            #expect(try await store.firstParty("a") == Sample.firstParty("a"))
            let next = try Sample.firstParty("a", value: 1, wrongAnswers: 1)
            #expect(try await store.advance("a", from: 0, to: next))
            #expect(try await store.firstParty("a") == next)
            #expect(try await store.finish("a", from: 1, as: Sample.finished("a", value: 2)) == .issued)
            #expect(try await store.firstParty("a") == Sample.finished("a", value: 2))
            #expect(try await store.code(Sample.codeSecret("a")) == Sample.code("a"))
            #expect(try await store.isInForce("a"))
            #expect(try await store.consents(of: "subject").isEmpty)
        },
        StorageCase("first party: another session with the same identifier is rejected") { store async throws in
            try await store.begin(Sample.firstParty("a"))
            var other = try Sample.firstParty("a")
            other.valueHash = Sample.hash("other")
            await expectAlreadyStored { [other] in try await store.begin(other) }
        },
        StorageCase("first party: an old value changes nothing") { store async throws in
            #expect(try await store.add(Sample.account))
            try await store.begin(Sample.firstParty("a"))
            let next = try Sample.firstParty("a", value: 1)
            #expect(try await store.advance("a", from: 0, to: next))
            #expect(try await !store.advance("a", from: 0, to: Sample.firstParty("a", value: 2)))
            #expect(try await store.finish("a", from: 0, as: Sample.finished("a", value: 2)) == .lost)
            #expect(try await !store.leave("a", from: 0))
            #expect(try await store.firstParty("a") == next)
            #expect(try await store.code(Sample.codeSecret("a")) == nil)
        },
        StorageCase("first party: an unknown session cannot be changed") { store async throws in
            #expect(try await store.add(Sample.account))
            #expect(try await !store.advance("a", from: 0, to: Sample.firstParty("a", value: 1)))
            #expect(try await store.finish("a") == .lost)
            #expect(try await !store.leave("a"))
        },
        StorageCase("first party: an expired session cannot be changed, and is still read until it is deleted") {
            store async throws in
            #expect(try await store.add(Sample.account))
            let session = try Sample.firstParty("a")
            try await store.begin(session)
            let end = session.expiresAt
            #expect(try await !store.advance("a", from: 0, to: Sample.firstParty("a", value: 1), at: end))
            #expect(try await store.finish("a", at: end) == .lost)
            #expect(try await !store.leave("a", at: end))
            #expect(try await store.firstParty("a", at: end) == session)
            #expect(try await store.deleteExpired(at: end - .seconds(1), limit: 100) == 0)
            #expect(try await store.deleteExpired(at: end, limit: 100) == 1)
            #expect(try await store.firstParty("a", at: end) == nil)
        },
        StorageCase("first party: a finished session is not advanced or left, and finishes again for another request") {
            store async throws in
            #expect(try await store.add(Sample.account))
            try await store.begin(Sample.firstParty("a"))
            #expect(try await store.finish("a") == .issued)
            #expect(try await !store.advance("a", from: 1, to: Sample.firstParty("a", value: 2)))
            #expect(try await !store.leave("a", from: 1))
            let again = try Sample.finished("a", value: 2, grant: "b")
            #expect(try await store.finish("a", from: 1, as: again, code: "b", judgedBy: nil) == .issued)
            #expect(try await store.finish("a", from: 1, as: Sample.finished("a", value: 3), code: "c") == .lost)
            #expect(try await store.firstParty("a") == again)
            #expect(try await store.isInForce("a"))
            #expect(try await store.isInForce("b"))
        },
        StorageCase("first party: a code challenge that was used before gets no code, and changes nothing") {
            store async throws in
            #expect(try await store.add(Sample.account))
            try await store.signIn("a")
            try await store.begin(Sample.firstParty("b"))
            let outcome = try await store.finish(
                from: Sample.hash("b 0"),
                as: Sample.finished("b"),
                issuing: Sample.code("b", challenge: "a"),
                under: Sample.grant("b"),
                judgedBy: nil,
                recording: .unique,
                at: Sample.now
            ).outcome()
            #expect(outcome == .challengeReused)
            #expect(try await store.firstParty("b") == Sample.firstParty("b"))
            #expect(try await !store.isInForce("b"))
        },
        StorageCase("first party: a session that goes to the browser ends, and its request is stored") {
            store async throws in
            #expect(try await store.add(Sample.account))
            try await store.begin(Sample.firstParty("a"))
            let request = try Sample.request("a")
            #expect(try await store.leave("a", storing: request))
            #expect(try await store.authorizationRequest(request.referenceHash, at: Sample.now) == request)
            #expect(try await store.firstParty("a") == nil)
            #expect(try await store.finish("a") == .lost)
            #expect(try await !store.leave("a"))
            #expect(try await !store.advance("a", from: 0, to: Sample.firstParty("a", value: 1)))
        },
    ]

    private static let firstPartyEndings: [StorageCase] = [
        StorageCase("first party: the removal of an account ends its session, before the code and after") {
            store async throws in
            #expect(try await store.add(Sample.account))
            for label in ["a", "b"] { try await store.begin(Sample.firstParty(label)) }
            #expect(try await store.finish("a") == .issued)
            #expect(try await store.removeUser("subject", at: Sample.now))
            #expect(try await store.firstParty("a") == nil)
            #expect(try await store.finish("b") == .accountChanged)
            #expect(try await store.code(Sample.codeSecret("b")) == nil)
        },
        StorageCase("first party: a new password ends a finished session, and an answer with the old one") {
            store async throws in
            #expect(try await store.add(Sample.account))
            for label in ["a", "b"] { try await store.begin(Sample.firstParty(label)) }
            #expect(try await store.finish("a") == .issued)
            let new = PasswordHash(stored: "$scrypt$ln=14,r=8,p=5$c2FsdA$bmV3")
            #expect(try await store.setPassword(new, of: "subject"))
            #expect(try await store.firstParty("a") == nil)
            #expect(try await store.finish("b") == .accountChanged)
            #expect(try await store.firstParty("b") == Sample.firstParty("b"))
            #expect(try await store.finish("b", judgedBy: new) == .issued)
        },
        StorageCase("first party: the removal of a client ends its sessions") { store async throws in
            #expect(try await store.add(Sample.client()))
            #expect(try await store.add(Sample.account))
            for label in ["a", "b"] { try await store.begin(Sample.firstParty(label)) }
            #expect(try await store.finish("a") == .issued)
            #expect(try await store.removeClient(Sample.clientID, at: Sample.now))
            for label in ["a", "b"] { #expect(try await store.firstParty(label) == nil) }
            #expect(try await store.finish("b") == .lost)
        },
        StorageCase("first party: a finished session ends with its grant, whoever revokes it") { store async throws in
            #expect(try await store.add(Sample.account))
            let revocations: [@Sendable (any AuthorizationStorage, String) async throws -> Void] = [
                { store, label async throws in try await store.revokeGrant(Sample.grantID(label), at: Sample.now) },
                { store, _ async throws in #expect(try await store.revokeGrants(of: "subject", at: Sample.now) == 1) },
                { store, _ async throws in #expect(try await store.revokeGrants(of: nil, at: Sample.now) == 1) },
                { store, _ async throws in
                    #expect(try await store.withdrawConsent(of: "subject", to: Sample.clientID, at: Sample.now))
                },
                { store, label async throws in
                    for _ in 1...2 {
                        _ = try await store.redeem(Sample.codeSecret(label), issuing: nil, at: Sample.now)
                    }
                },
            ]
            for (index, revoke) in revocations.enumerated() {
                let label = "a\(index)"
                try await store.begin(Sample.firstParty(label))
                #expect(try await store.finish(label) == .issued)
                try await revoke(store, label)
                #expect(try await store.firstParty(label) == nil)
                let again = try Sample.finished(label, value: 2, grant: "b")
                #expect(try await store.finish(label, from: 1, as: again, code: "b") == .lost)
            }
        },
        StorageCase("first party: the grant of a finished session is kept as long as the session") {
            store async throws in
            #expect(try await store.add(Sample.account))
            try await store.begin(Sample.firstParty("a"))
            let end = Sample.now + .seconds(30 * 86_400)
            #expect(try await store.finish("a", as: Sample.finished("a", expiresAt: end)) == .issued)
            while try await store.deleteExpired(at: end - .seconds(1), limit: 100) > 0 {}
            #expect(try await store.firstParty("a", at: end - .seconds(1)) != nil)
        },
    ]

    private static let firstPartyReads: [StorageCase] = [
        StorageCase("one read gives a sign-in without a browser its client, session and the typed account") {
            store async throws in
            #expect(try await store.add(Sample.client()))
            #expect(try await store.add(Sample.account))
            let session = try Sample.firstParty("a")
            try await store.begin(session)
            let found = try await store.reads(
                ofFirstPartySession: session.id,
                for: nil,
                userNamed: "alice",
                at: Sample.now
            )
            #expect(
                found == FirstPartyReads(client: try Sample.client(), session: session, namedUser: Sample.account)
            )
            let other = try await store.reads(
                ofFirstPartySession: nil,
                for: "never",
                userNamed: "never",
                at: Sample.now
            )
            #expect(other == FirstPartyReads())
        },
        StorageCase("a key is known for an account that has a finished session or a live refresh token of it") {
            store async throws in
            #expect(try await store.add(Sample.account))
            #expect(try await store.add(Sample.user("bob", subject: "other")))
            for label in ["a", "b"] { try await store.begin(Sample.firstParty(label)) }
            #expect(try await store.isKnown("b", "alice") == false)
            #expect(try await store.finish("a") == .issued)
            #expect(try await store.isKnown("b", "alice"))
            #expect(try await store.isKnown("b", "bob") == false)
            #expect(try await store.isKnown("b", "alice", at: Sample.now + .seconds(8 * 3600)) == false)
            var elsewhere = try Sample.firstParty("c")
            elsewhere.request.dpopThumbprint = try Sample.thumbprint("another key")
            try await store.begin(elsewhere)
            #expect(try await store.isKnown("c", "alice") == false)
            try await store.revokeGrant(Sample.grantID("a"), at: Sample.now)
            #expect(try await store.isKnown("b", "alice") == false)

            try await store.signIn("d")
            let token = try Sample.token("d 0", grant: "d", thumbprint: Sample.thumbprint("key"))
            #expect(try await store.redeem(Sample.codeSecret("d"), issuing: token, at: Sample.now) == .first)
            #expect(try await store.isKnown("b", "alice"))
            #expect(try await store.isKnown("b", "alice", at: token.expiresAt) == false)
            try await store.revokeGrant(Sample.grantID("d"), at: Sample.now)
            #expect(try await store.isKnown("b", "alice") == false)
        },
    ]
}
