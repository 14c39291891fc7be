// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import DPoP
import OAuthSystem
import PostgreSQLServer
import PostgreSQLStorage
import ServerStorage
import StorageSuite
import Testing

@Suite("PostgreSQL: addresses, versions, crashes", .disabled(if: PostgreSQLDatabases.areLeftOut))
struct PostgreSQLFailureTests {
    @Test func `an address with a password, or without verified TLS, is rejected`() throws {
        for rejected in [
            "postgresql://kb:secret@db.example/keybound", "postgresql://kb@db.example/keybound?sslmode=require",
            "postgresql://kb@localhost,db.example/keybound?sslmode=prefer", "postgresql://kb@db.example/%zz",
            "postgresql://kb@localhost/keybound?options=-cfsync%3Doff", "mysql://kb@localhost/keybound",
            "postgresql://kb@localhost/keybound?nonsense=1",
            "postgresql://kb@127.0.0.1.evil.example/kb?sslmode=disable",
            "postgresql://localhost/keybound?hostaddr=192.0.2.1&sslmode=disable",
        ] {
            let error = #expect(throws: StorageError.self) { try PostgreSQLAddress(rejected) }
            #expect(error?.code == .cannotOpen, "\(rejected)")
            #expect(error?.reason.contains("secret") == false)
        }
        for accepted in [
            "postgresql://kb@db.example/keybound?sslrootcert=ca.pem", "postgres:///keybound?host=/run/postgresql",
            "postgresql://kb@db1,db2/keybound?sslmode=verify-full", "postgresql://kb@127.0.0.1:5433/keybound",
        ] {
            #expect(try PostgreSQLAddress(accepted).description == accepted)
        }
    }

    @Test func `a database without tables, or of a newer program, is rejected with what to do`() async throws {
        try await PostgreSQLDatabases.shared.withDatabase { text async throws in
            let address = try PostgreSQLAddress(text)
            try await PostgreSQLQuery.run(
                "UPDATE keybound.schema_version SET version = 9, oldest_program = 9",
                at: text
            )
            await Self.expect(.schemaTooNew, "start the newer program") {
                try await PostgreSQLAuthorizationStorage(address)
            }
            await Self.expect(.schemaTooNew, "start the newer program") {
                try await PostgreSQLAuthorizationStorage.migrate(address)
            }
            // A newer database that says that this program still fits is used, and not migrated back.
            try await PostgreSQLQuery.run("UPDATE keybound.schema_version SET oldest_program = 1", at: text)
            await (try PostgreSQLAuthorizationStorage(address)).close()
            #expect(try await PostgreSQLAuthorizationStorage.migrate(address) == (9, 9))
            try await PostgreSQLQuery.run("DROP SCHEMA keybound CASCADE", at: text)
            await Self.expect(.schemaTooOld, "keybound db migrate") {
                try await PostgreSQLAuthorizationStorage(address)
            }
            let made = try await PostgreSQLAuthorizationStorage.migrate(address)
            #expect(made.from == 0 && made.to > 0)
            #expect(try await PostgreSQLAuthorizationStorage.migrate(address) == (made.to, made.to))
        }
    }

    @Test func `settings with which a crash loses answers are named`() async throws {
        try await PostgreSQLDatabases.shared.withDatabase { text async throws in
            let address = try PostgreSQLAddress(text)
            // The server of the tests flushes nothing, which makes it fast.
            let store = try await PostgreSQLAuthorizationStorage(address)
            #expect(store.lossySettings == ["fsync"])
            await store.close()
            // With `local` it does not wait for a standby.
            for value in ["off", "local"] {
                try await PostgreSQLQuery.run(
                    """
                    DO $$ BEGIN
                        EXECUTE format('ALTER DATABASE %I SET synchronous_commit = \(value)', current_database());
                    END $$
                    """,
                    at: text
                )
                let found = try await PostgreSQLAuthorizationStorage.lossySettings(address)
                #expect(found == ["fsync", "synchronous_commit"])
            }
        }
    }

    @Test func `U+0000 in a name is an error of that operation alone, and is found nowhere`() async throws {
        try await PostgreSQLDatabases.shared.withDatabase { text async throws in
            let store = try await PostgreSQLAuthorizationStorage(PostgreSQLAddress(text))
            let added = await withTaskGroup(of: Bool?.self) { group in
                for index in 0..<40 {
                    group.addTask {
                        try? await store.add(Sample.user("u\(index)\(index == 7 ? "\u{0}" : "")", subject: "\(index)"))
                    }
                }
                return await group.reduce(into: [Bool?]()) { $0.append($1) }
            }
            #expect(added.count { $0 == true } == 39 && added.count { $0 == nil } == 1)
            #expect(try await store.user(named: "u7\u{0}") == nil)
            // A nonce of OpenID Connect may be any text.
            var code = try Sample.code("a")
            code.nonce = "a\u{0}b"
            try await store.add(Sample.request("a"))
            _ = try await store.issue(
                code,
                under: Sample.grant("a"),
                consuming: Sample.hash("request a"),
                at: Sample.now
            )
            #expect(try await store.code(Sample.codeSecret("a"))?.nonce == "a\u{0}b")
            await store.close()
        }
    }

    @Test func `after a crash nothing that was answered is lost, and no proof of before is accepted`() async throws {
        let server = try await PostgreSQLServer()
        try await server.start()
        try await PostgreSQLQuery.run("CREATE DATABASE keybound", at: server.address(of: "postgres"))
        let address = try PostgreSQLAddress(server.address(of: "keybound"))
        _ = try await PostgreSQLAuthorizationStorage.migrate(address)
        let store = try await PostgreSQLAuthorizationStorage(address)
        let epoch = try await epoch(of: store, proposing: "a")
        let key = try Sample.replayKey("1")
        _ = try await store.record(.proof(key, epoch: epoch), at: Sample.now).outcome()
        try await store.signInForToken("a")

        // So that there is a connection to read, which is lost in the middle of a message.
        _ = try await store.user(ofGrant: Sample.grantID("a"))

        try await server.kill()
        let user = await #expect(throws: StorageError.self) { try await store.user(ofGrant: Sample.grantID("a")) }
        // A read changes nothing, so its outcome is never unknown.
        #expect(user?.code == .unavailable)
        let error = await #expect(throws: StorageError.self) { try await store.client("x") }
        #expect(error?.code == .unavailable)
        // Once it is known to be away, nobody waits: an attempt to connect would take each up to half a second.
        let start = ContinuousClock.now
        for _ in 0..<100 { _ = try? await store.client("x") }
        #expect(start.duration(to: .now) < .seconds(15))
        #expect(store.isAway)

        try await server.start()
        var live: StoredRefreshToken?
        for _ in 0..<400 where live == nil {
            live = try? await store.liveRefreshToken(Sample.tokenSecret("a 0"), at: Sample.now)
            if live == nil { try await Task.sleep(for: .milliseconds(50)) }
        }
        #expect(live != nil)
        let record = try await untilAvailable { try await store.record(.proof(key, epoch: epoch), at: Sample.now) }
        guard case .otherEpoch(let next) = record else {
            Issue.record("a proof of before the crash was accepted")
            return
        }
        #expect(next != epoch)
        #expect(try await self.epoch(of: store, proposing: "b") == next)
        _ = try await store.record(.proof(key, epoch: next), at: Sample.now).outcome()
        await store.close()
        await server.remove()
    }

    @Test func `a database that hangs counts as away after five seconds, and is found again`() async throws {
        let server = try await PostgreSQLServer()
        try await server.start()
        try await PostgreSQLQuery.run("CREATE DATABASE keybound", at: server.address(of: "postgres"))
        let address = try PostgreSQLAddress(server.address(of: "keybound"))
        _ = try await PostgreSQLAuthorizationStorage.migrate(address)
        let store = try await PostgreSQLAuthorizationStorage(address)
        try await store.signInForToken("a")
        _ = try await store.user(ofGrant: Sample.grantID("a"))

        try await server.pause(true)
        let start = ContinuousClock.now
        // A read with a plan, whose message was sent whole: it changes nothing, so its outcome is never unknown.
        async let reading = Self.code { _ = try await store.user(ofGrant: Sample.grantID("a")) }
        async let rotating = try store.rotate("a 0", to: "a 1", grant: "a")
        let (read, rotated) = (await reading, try? await rotating)
        // Whatever cannot be asked is not accepted.
        #expect(read == .unavailable)
        #expect(rotated == nil)
        // Five seconds, on a busy machine later. Without the limit they would wait for as long as it hangs.
        #expect(start.duration(to: .now) < .seconds(30))
        try await server.pause(false)

        var rotation: RefreshRotation?
        for _ in 0..<400 where rotation == nil {
            rotation = try? await store.rotate("a 0", to: "a 2", grant: "a", grace: .seconds(30))
            if rotation == nil { try await Task.sleep(for: .milliseconds(50)) }
        }
        // The first rotation was carried out, or not; the session goes on either way.
        #expect(rotation == .rotated || rotation == .reissued)
        #expect(try await untilAvailable { try await store.isInForce("a") })
        await store.close()
        await server.remove()
    }

    /// Repeats work while the connection that it needs is still being made: each role has connections of its own.
    private func untilAvailable<Value>(_ work: () async throws -> Value) async throws -> Value {
        for _ in 0..<400 {
            do {
                return try await work()
            } catch let error as StorageError where error.code == .unavailable {
                try await Task.sleep(for: .milliseconds(50))
            }
        }
        return try await work()
    }

    private func epoch(of store: PostgreSQLAuthorizationStorage, proposing label: String) async throws -> ReplayEpoch? {
        try await store.nonceSecrets(
            replacingAfter: .seconds(100),
            with: DPoPNonceSecret(number: 1, bytes: Sample.hash(label).bytes),
            starting: Sample.epoch(label),
            at: Sample.now
        ).epoch
    }

    /// The code of the error that a call throws.
    private static func code(_ body: () async throws -> Void) async -> StorageError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? StorageError)?.code
        }
    }

    private static func expect<Value>(
        _ code: StorageError.Code,
        _ advice: String,
        _ body: () async throws -> Value
    ) async {
        let error = await #expect(throws: StorageError.self) { _ = try await body() }
        #expect(error?.code == code && error?.reason.contains(advice) == true)
    }
}
