// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import ServerStorage
import StrictJSON
import Testing

extension StorageCase {
    static let accounts: [StorageCase] = clientsAndUsers + userClaims

    private static let clientsAndUsers: [StorageCase] = [
        StorageCase("a client is found as it was stored") { store async throws in
            let client = try Sample.client()
            #expect(try await store.add(client))
            #expect(try await store.client(client.clientID) == client)
            #expect(try await store.client("another") == nil)
        },
        StorageCase("a client identifier is stored once, and the first client stays") { store async throws in
            let first = try Sample.client()
            var second = first
            second.name = "Another"
            second.registrationID = "another registration"
            #expect(try await store.add(first))
            #expect(try await !store.add(second))
            #expect(try await store.client(first.clientID) == first)
        },
        StorageCase("identifiers of clients are compared byte by byte") { store async throws in
            let kelvin = "\u{212A}"
            #expect(try await store.add(Sample.client("K")))
            #expect(try await store.client(kelvin) == nil)
            #expect(try await store.client("k") == nil)
            #expect(try await store.client("K\u{0}") == nil)
            #expect(try await store.client("K ") == nil)
            #expect(try await store.client("") == nil)
            #expect(try await store.add(Sample.client(kelvin)))
            #expect(try await store.clients().count == 2)
        },
        StorageCase("clients are listed by identifier, in the order of the bytes") { store async throws in
            #expect(try await store.clients().isEmpty)
            for clientID in ["b", "a-2", "B", "a", "a.1"] {
                #expect(try await store.add(Sample.client(clientID)))
            }
            #expect(try await store.clients().map(\.clientID) == ["B", "a", "a-2", "a.1", "b"])
            #expect(try await store.clients().first == Sample.client("B"))
        },
        StorageCase("an account is found by its user name and by its subject") { store async throws in
            let user = Sample.user("alice", subject: "s-1")
            #expect(try await store.add(user))
            #expect(try await store.user(named: "alice") == user)
            #expect(try await store.user(subject: "s-1") == user)
            #expect(try await store.user(named: "s-1") == nil)
            #expect(try await store.user(subject: "alice") == nil)
        },
        StorageCase("a user name and a subject are stored once each") { store async throws in
            let user = Sample.user("alice", subject: "s-1")
            #expect(try await store.add(user))
            #expect(try await !store.add(Sample.user("alice", subject: "s-2")))
            #expect(try await !store.add(Sample.user("bob", subject: "s-1")))
            #expect(try await store.user(named: "alice") == user)
            #expect(try await store.user(named: "bob") == nil)
            #expect(try await store.user(subject: "s-2") == nil)
        },
        StorageCase("user names are compared byte by byte") { store async throws in
            #expect(try await store.add(Sample.user("k", subject: "s-1")))
            #expect(try await store.user(named: "K") == nil)
            #expect(try await store.user(named: "\u{212A}") == nil)
            #expect(try await store.add(Sample.user("e\u{301}", subject: "s-2")))
            #expect(try await store.user(named: "\u{E9}") == nil)
        },
        StorageCase("text that looks like SQL is text") { store async throws in
            let hostile = "'; DROP TABLE clients; --\"$1\\\u{10FFFF}"
            #expect(try await store.add(Sample.user(hostile, subject: hostile)))
            #expect(try await store.user(named: hostile) == Sample.user(hostile, subject: hostile))
            #expect(try await store.add(Sample.client()))
            #expect(try await store.clients().count == 1)
        },
    ]

    private static let userClaims: [StorageCase] = [
        StorageCase("claims of an account are found as they were stored, wherever the account is read") {
            store async throws in
            var user = Sample.account
            user.claims = Sample.claims
            #expect(try await store.add(user))
            let session = Sample.session("a", of: user.subject)
            try await store.start(session, replacing: nil)
            try await store.signInForToken("a")
            #expect(try await store.user(subject: user.subject) == user)
            #expect(try await store.user(named: user.username) == user)
            #expect(try await store.users() == [user])
            #expect(try await store.user(ofGrant: Sample.grantID("a")) == user)
            let recording = Recording.proof(try Sample.replayKey("1"))
            let read = try await store.user(ofGrant: Sample.grantID("a"), recording: recording, at: Sample.now)
            #expect(read == .done(user))
            let reads = try await store.reads(ofClient: "none", in: session.idHash, at: Sample.now)
            #expect(reads.browser.user == user)
        },
        StorageCase("claims are set for one account, all at once, and end with it") { store async throws in
            let other = Sample.user("bob", subject: "s-2")
            #expect(try await store.add(Sample.account))
            #expect(try await store.add(other))
            #expect(try await store.setClaims(Sample.claims, of: "subject", replacing: nil))
            #expect(try await store.user(subject: "subject")?.claims == Sample.claims)
            #expect(try await store.user(subject: "s-2") == other)
            #expect(try await store.setClaims(["level": 8], of: "subject", replacing: nil))
            #expect(try await store.user(subject: "subject")?.claims == ["level": 8])
            #expect(try await store.setClaims(JSONObject(), of: "subject", replacing: ["level": 8]))
            #expect(try await store.user(subject: "subject") == Sample.account)
            #expect(try await !store.setClaims(Sample.claims, of: "nobody", replacing: nil))
            #expect(try await store.setClaims(Sample.claims, of: "subject", replacing: nil))
            #expect(try await store.removeUser("subject", at: Sample.now))
            #expect(try await !store.setClaims(Sample.claims, of: "subject", replacing: nil))
            #expect(try await store.add(Sample.account))
            #expect(try await store.user(subject: "subject")?.claims.members.isEmpty == true)
        },
        StorageCase("claims that somebody else changed in the meantime stay") { store async throws in
            #expect(try await store.add(Sample.account))
            #expect(try await store.setClaims(["level": 1], of: "subject", replacing: JSONObject()))
            #expect(try await !store.setClaims(["level": 2], of: "subject", replacing: JSONObject()))
            #expect(try await !store.setClaims(["level": 2], of: "subject", replacing: ["level": "1"]))
            #expect(try await store.user(subject: "subject")?.claims == ["level": 1])
        },
        StorageCase(race: "of changes to the same claims, each that is accepted keeps the others") {
            handles async throws in
            #expect(try await handles[0].add(Sample.account))
            let wins = try await Race.run(handles) { store, task async throws in
                let stored = try #require(try await store.user(subject: "subject")).claims
                var claims = stored
                claims["task \(task)"] = true
                return try await store.setClaims(claims, of: "subject", replacing: stored)
            }
            let claims = try #require(try await handles[0].user(subject: "subject")).claims
            #expect(claims.members.count == wins.count { $0 })
            #expect(wins.contains(true))
        },
    ]

    static let sessions: [StorageCase] = [
        StorageCase("a session is found until it is ended") { store async throws in
            let session = Sample.session("a")
            try await store.start(session, replacing: nil)
            #expect(try await store.session(session.idHash, at: Sample.now) == session)
            try await store.endSession(session.idHash)
            #expect(try await store.session(session.idHash, at: Sample.now) == nil)
            try await store.endSession(session.idHash)
        },
        StorageCase("a session that replaces another one ends it, and no other") { store async throws in
            for label in ["a", "b"] { try await store.start(Sample.session(label), replacing: nil) }
            try await store.start(Sample.session("c"), replacing: Sample.hash("a"))
            #expect(try await store.session(Sample.hash("a"), at: Sample.now) == nil)
            #expect(try await store.session(Sample.hash("b"), at: Sample.now) != nil)
            #expect(try await store.session(Sample.hash("c"), at: Sample.now) == Sample.session("c"))
        },
        StorageCase("a session can replace an unknown one") { store async throws in
            try await store.start(Sample.session("a"), replacing: Sample.hash("never"))
            #expect(try await store.session(Sample.hash("a"), at: Sample.now) != nil)
        },
        StorageCase("a session whose hash is taken is rejected, and the previous one continues") { store async throws in
            for label in ["a", "b"] { try await store.start(Sample.session(label), replacing: nil) }
            var other = Sample.session("b")
            other.subject = "somebody else"
            await expectAlreadyStored { try await store.start(other, replacing: Sample.hash("a")) }
            #expect(try await store.session(Sample.hash("a"), at: Sample.now) != nil)
        },
        StorageCase("a password that was changed, or whose account was removed, starts no session and ends none") {
            store async throws in
            #expect(try await store.add(Sample.account))
            let (old, new) = (Sample.account.passwordHash, PasswordHash(stored: "$scrypt$another"))
            let request = try Sample.request("a")
            try await store.add(request)
            try await store.start(Sample.session("other"), replacing: nil)
            var session = Sample.session("a", of: "subject")
            session.requestHash = request.referenceHash
            #expect(try await store.setPassword(new, of: "subject"))
            for removes in [false, true] {
                if removes { #expect(try await store.removeUser("subject", at: Sample.now)) }
                let judgedBy = removes ? new : old
                #expect(try await !store.start(session, replacing: Sample.hash("other"), judgedBy: judgedBy))
                #expect(try await store.session(session.idHash, at: Sample.now) == nil)
                #expect(try await store.session(Sample.hash("other"), at: Sample.now) != nil)
                #expect(try await store.authorizationRequest(request.referenceHash, at: Sample.now) == request)
            }
            #expect(try await store.add(Sample.account))
            #expect(try await store.start(session, replacing: Sample.hash("other"), judgedBy: old))
            #expect(try await store.session(session.idHash, at: Sample.now) == session)
            #expect(try await store.session(Sample.hash("other"), at: Sample.now) == nil)
        },
        StorageCase(race: "sign-ins racing a new password or a removal leave no session behind") {
            handles async throws in
            let new = PasswordHash(stored: "$scrypt$another")
            for removes in [false, true] {
                #expect(try await handles[0].add(Sample.account))
                let labels = (0..<Race.size).map { "\(removes ? "b" : "a")\($0)" }
                _ = try await Race.run(handles) { store, task async throws in
                    guard task != Race.size / 2 else {
                        return removes
                            ? try await store.removeUser("subject", at: Sample.now)
                            : try await store.setPassword(new, of: "subject")
                    }
                    let session = Sample.session(labels[task], of: "subject")
                    return try await store.start(session, replacing: nil, judgedBy: Sample.account.passwordHash)
                }
                // Whoever came before has no session any more, and whoever came after gets none.
                for label in labels {
                    #expect(try await handles[0].session(Sample.hash(label), at: Sample.now) == nil)
                }
                _ = try await handles[0].removeUser("subject", at: Sample.now)
            }
        },
    ]
}
