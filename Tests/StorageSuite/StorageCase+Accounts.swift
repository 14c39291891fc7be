// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import ServerStorage
import Testing

extension StorageCase {
    static let accounts: [StorageCase] = [
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
    ]
}
