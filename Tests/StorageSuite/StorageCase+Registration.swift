// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import JOSE
import OAuthCore
import OAuthSystem
import ServerStorage
import Testing

extension StorageCase {
    private static let token = Sample.hash("registration")

    private static func client(_ label: String) throws -> RegisteredClient {
        RegisteredClient(
            clientID: label,
            name: label,
            redirectURIs: ["https://app.example.com/callback"],
            scope: try Scope(parsing: "a"),
            createdAt: Sample.now
        )
    }

    private static func stored(_ uses: Int) -> StoredRegistrationToken {
        StoredRegistrationToken(
            tokenHash: token,
            usesLeft: uses,
            expiresAt: Sample.now + .seconds(60),
            policy: policy
        )
    }

    private static let policy = RegistrationTokenPolicy(scope: try? Scope(parsing: "a b"), allowsBearerTokens: true)

    /// Clients that register themselves.
    static let registration: [StorageCase] = [
        StorageCase("a registration token works as often as it has uses") { store async throws in
            #expect(try await store.registrationPolicy(of: token, at: Sample.now) == nil)
            #expect(try await store.register(client("never"), with: token, at: Sample.now) == .refused)
            try await store.add(stored(2))
            for label in ["one", "two"] {
                #expect(try await store.registrationPolicy(of: token, at: Sample.now) == policy)
                #expect(try await store.register(client(label), with: token, at: Sample.now) == .registered)
                #expect(try await store.client(label) == client(label))
            }
            #expect(try await store.registrationPolicy(of: token, at: Sample.now) == nil)
            #expect(try await store.register(client("three"), with: token, at: Sample.now) == .refused)
            #expect(try await store.client("three") == nil)
        },
        StorageCase("a registration token expires, and is then deleted") { store async throws in
            try await store.add(stored(2))
            let end = Sample.now + .seconds(60)
            #expect(try await store.registrationPolicy(of: token, at: end) == nil)
            #expect(try await store.register(client("late"), with: token, at: end) == .refused)
            #expect(try await store.deleteExpired(at: end, limit: 10) == 1)
            #expect(try await store.register(client("late"), with: token, at: Sample.now) == .refused)
        },
        StorageCase("a taken identifier consumes no use, and a token is stored once") { store async throws in
            try await store.add(stored(1))
            await expectAlreadyStored { try await store.add(stored(5)) }
            _ = try await store.add(client("taken"))
            #expect(try await store.register(client("taken"), with: token, at: Sample.now) == .taken)
            #expect(try await store.register(client("free"), with: token, at: Sample.now) == .registered)
        },
        StorageCase("registration tokens that can be used are listed, those that expire first come first") {
            store async throws in
            #expect(try await store.registrationTokens(at: Sample.now).isEmpty)
            let late = StoredRegistrationToken(
                tokenHash: Sample.hash("late"),
                usesLeft: 7,
                expiresAt: Sample.now + .seconds(120)
            )
            try await store.add(late)
            try await store.add(stored(1))
            #expect(try await store.registrationTokens(at: Sample.now) == [stored(1), late])
            #expect(try await store.register(client("one"), with: token, at: Sample.now) == .registered)
            #expect(try await store.registrationTokens(at: Sample.now) == [late])
            #expect(try await store.registrationTokens(at: Sample.now + .seconds(120)).isEmpty)
        },
        StorageCase("a removed registration token registers nobody, and its clients stay") { store async throws in
            #expect(try await store.removeRegistrationToken(token) == false)
            try await store.add(stored(5))
            #expect(try await store.register(client("one"), with: token, at: Sample.now) == .registered)
            for isFirst in [true, false] { #expect(try await store.removeRegistrationToken(token) == isFirst) }
            #expect(try await store.registrationPolicy(of: token, at: Sample.now) == nil)
            #expect(try await store.register(client("two"), with: token, at: Sample.now) == .refused)
            #expect(try await store.client("one") == client("one"))
            #expect(try await store.registrationTokens(at: Sample.now).isEmpty)
        },
        StorageCase(race: "of 64 who remove a registration token, one does") { stores in
            try await stores[0].add(stored(3))
            let outcomes = try await Race.run(stores) { store, _ in try await store.removeRegistrationToken(token) }
            #expect(outcomes.count(of: true) == 1)
        },
        StorageCase(race: "of 64 clients with one registration token of 3 uses, three are registered") { stores in
            try await stores[0].add(stored(3))
            let outcomes = try await Race.run(stores) { store, task in
                try await store.register(client("racer-\(task)"), with: token, at: Sample.now)
            }
            #expect(outcomes.count(of: .registered) == 3)
            #expect(outcomes.count(of: .refused) == Race.size - 3)
        },
    ]
}
