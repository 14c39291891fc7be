// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import JOSE
import OAuthSystem
import ServerStorage
import Testing

extension StorageCase {
    static let administration: [StorageCase] = [
        StorageCase("accounts are listed by user name") { store async throws in
            for name in ["grace", "ada"] { #expect(try await store.add(Sample.user(name, subject: "sub of \(name)"))) }
            #expect(try await store.users().map(\.username) == ["ada", "grace"])
        },
        StorageCase("a new password ends every session of that user and no others") { store async throws in
            #expect(try await store.add(Sample.user("ada", subject: "subject of a")))
            let (own, other) = (Sample.session("a"), Sample.session("b"))
            for session in [own, other] { try await store.start(session, replacing: nil) }
            let hash = PasswordHash(stored: "$scrypt$another")
            #expect(try await store.setPassword(hash, of: own.subject))
            #expect(try await store.user(subject: own.subject)?.passwordHash == hash)
            #expect(try await store.session(own.idHash, at: Sample.now) == nil)
            #expect(try await store.session(other.idHash, at: Sample.now) != nil)
            #expect(try await !store.setPassword(hash, of: "nobody"))
        },
        StorageCase("removing a user ends sessions, consents and grants") { store async throws in
            #expect(try await store.add(Sample.user("ada", subject: "subject")))
            var session = Sample.session("a")
            session.subject = "subject"
            try await store.start(session, replacing: nil)
            #expect(try await store.issue("a", by: .givenToRemember(Sample.consent())) == .issued)
            var own = try Sample.grant("own")
            own.subject = own.clientID
            try await store.record(own, until: Sample.now + .seconds(60))
            #expect(try await store.removeUser("subject", at: Sample.now))
            #expect(try await store.user(named: "ada") == nil)
            #expect(try await store.session(session.idHash, at: Sample.now) == nil)
            #expect(try await store.consents(of: "subject").isEmpty)
            #expect(try await !store.isInForce("a"))
            #expect(try await store.isInForce("own"))
            #expect(try await !store.removeUser("subject", at: Sample.now))
            #expect(try await store.add(Sample.user("ada", subject: "subject")))
        },
        StorageCase("grants of a user are listed while they are in force, the oldest first") { store async throws in
            for label in ["b", "a", "c"] { try await store.signInForToken(label) }
            let grants = try await store.grants(of: "subject")
            #expect(grants.map(\.id) == ["a", "b", "c"].map(Sample.grantID).sorted())
            #expect(try grants.contains(Sample.grant("a")))
            try await store.revokeGrant(Sample.grantID("a"), at: Sample.now)
            #expect(try await store.grants(of: "subject").count == 2)
            #expect(try await store.grants(of: "Subject").isEmpty)
        },
        StorageCase("grants are revoked for one or all users, and counted") { store async throws in
            for label in ["a", "b"] { try await store.signInForToken(label) }
            var other = try Sample.grant("c")
            other.subject = "another"
            try await store.record(other, until: Sample.now + .seconds(60))
            try await store.revokeGrant(Sample.grantID("b"), at: Sample.now)
            #expect(try await store.revokeGrants(of: "subject", at: Sample.now) == 1)
            #expect(try await store.isInForce("c"))
            #expect(try await store.revokeGrants(of: nil, at: Sample.now) == 1)
            for label in ["a", "b", "c"] { #expect(try await !store.isInForce(label)) }
            #expect(try await store.revokeGrants(of: nil, at: Sample.now) == 0)
        },
        StorageCase("when the grants of all users are revoked, their sessions end, and only then") {
            store async throws in
            #expect(try await store.add(Sample.account))
            var sessions = [Sample.session("a"), Sample.session("b")]
            sessions[0].subject = "subject"
            for session in sessions { try await store.start(session, replacing: nil) }
            try await store.begin(Sample.firstParty("a"))
            #expect(try await store.revokeGrants(of: "subject", at: Sample.now) == 0)
            for session in sessions { #expect(try await store.session(session.idHash, at: Sample.now) != nil) }
            #expect(try await store.firstParty("a") != nil)
            #expect(try await store.revokeGrants(of: nil, at: Sample.now) == 0)
            for session in sessions { #expect(try await store.session(session.idHash, at: Sample.now) == nil) }
            #expect(try await store.firstParty("a") == nil)
        },
    ]
}
