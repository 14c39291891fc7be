// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import DPoP
import JOSE
import OAuthSystem
import RedisReplay
import RedisServer
import TestSupport
import Testing

@Suite("RFC 9449 section 11.1: used proofs in Redis", .timeLimit(.minutes(3)))
struct RedisReplayStoreTests {
    private let now = SystemWallClock().now()
    private var end: Timestamp { now + .seconds(60) }

    private static func key(_ jti: String) throws -> ReplayKey {
        ReplayKey(owner: try JWKThumbprint(String(repeating: "A", count: 43)), jti: jti)
    }

    private static func store(_ path: String, timeout: Duration = .seconds(60)) throws -> RedisReplayStore {
        // Only where a test is about it, the limit is the usual one: the machine may be busy.
        var configuration = RedisReplayConfiguration(address: try RedisAddress("unix:" + path))
        configuration.timeout = timeout
        return RedisReplayStore(configuration)
    }

    private func withServer(
        _ options: [String] = [],
        _ body: (RedisServer) async throws -> Void
    ) async throws {
        let server = try await RedisServer(options)
        do {
            try await body(server)
        } catch {
            await server.remove()
            throw error
        }
        await server.remove()
    }

    private func insert(_ jti: String, _ store: RedisReplayStore, _ epoch: ReplayEpoch?) async throws -> ReplayInsertion
    {
        try await store.insert(Self.key(jti), until: end, now: now, in: epoch)
    }

    private func error(_ body: () async throws -> Void) async -> RedisReplayError? {
        do {
            try await body()
            return nil
        } catch {
            return error as? RedisReplayError
        }
    }

    @Test func `attack 91, a proof is new once, over all stores`() async throws {
        try await withServer { server in
            let stores = [try Self.store(server.path), try Self.store(server.path)]
            let epoch = try await stores[0].epoch()
            #expect(try await stores[1].epoch() == epoch)
            #expect(try await insert("a", stores[0], epoch) == .inserted)
            for store in stores { #expect(try await insert("a", store, epoch) == .replayed) }
            #expect(try await insert("b", stores[1], epoch) == .inserted)
            #expect(stores.allSatisfy { !$0.isAway })
        }
    }

    @Test func `attack 90, of 200 tasks at two stores one wins`() async throws {
        try await withServer { server in
            let stores = [try Self.store(server.path), try Self.store(server.path)]
            let epoch = try await stores[0].epoch()
            for round in 0..<5 {
                let wins = try await withThrowingTaskGroup(of: Bool.self) { group in
                    for number in 0..<200 {
                        group.addTask { try await insert("\(round)", stores[number % 2], epoch) == .inserted }
                    }
                    return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
                }
                #expect(wins == 1)
            }
        }
    }

    @Test func `a proof is kept until its end, and not for ever`() async throws {
        try await withServer { server in
            let store = try Self.store(server.path)
            _ = try await insert("a", store, try await store.epoch())
            let names = try await server.command("KEYS", "kb:r:*").split(separator: "\n")
            #expect(names.count == 1 && names[0].utf8.count == 5 + 22)
            let left = try #require(Int(try await server.command("PTTL", String(names[0]))))
            #expect((30_000...60_001).contains(left))
            // One whose end is past is recorded all the same: that it is too old is another check's to say.
            let past = try await store.insert(
                Self.key("old"),
                until: now - .seconds(9),
                now: now,
                in: try await store.epoch()
            )
            #expect(past == .inserted)
        }
    }

    @Test func `Redis that was emptied has another memory, and accepts nothing of the one before`() async throws {
        try await withServer { server in
            let store = try Self.store(server.path)
            let before = try await store.epoch()
            #expect(try await insert("a", store, before) == .inserted)
            try await server.command("FLUSHALL")
            guard case .otherEpoch(let after) = try await insert("a", store, before) else {
                Issue.record("the proof was not rejected")
                return
            }
            #expect(after != before)
            #expect(try await insert("a", store, nil) == .otherEpoch(after))
            #expect(try await insert("new", store, after) == .inserted)
            #expect(try await store.epoch() == after)
        }
    }

    @Test func `the memory is named after the proof was recorded, since it may be emptied in between`() async throws {
        try await withServer { server in
            let store = try Self.store(server.path)
            let epoch = try await store.epoch()
            let monitor = try await server.monitor()
            _ = try await insert("a", store, epoch)
            let commands = try await monitor.lines(2)
            #expect(commands[0].contains(#""SET" "kb:r:"#) && commands[0].contains(#""NX" "PX""#), "\(commands)")
            #expect(commands[1].contains(#""GET" "kb:epoch""#), "\(commands)")
            monitor.stop()
        }
    }

    @Test func `Redis that was started again has another memory, although it may have kept its data`() async throws {
        try await withServer(["--appendonly", "yes", "--appendfsync", "always"]) { server in
            let store = try Self.store(server.path)
            let before = try await store.epoch()
            #expect(try await insert("a", store, before) == .inserted)
            await server.kill()
            let failure = await error { _ = try await insert("b", store, before) }
            #expect(failure?.code == .unavailable && store.isAway)
            try await server.start()
            try await Task.sleep(for: .milliseconds(150))
            guard case .otherEpoch(let after) = try await insert("a", store, before) else {
                Issue.record("the proof was not rejected")
                return
            }
            #expect(after != before && !store.isAway)
        }
    }

    @Test func `Redis that hangs is away after 200 ms, and nothing waits for it`() async throws {
        try await withServer { server in
            let store = try Self.store(server.path, timeout: .milliseconds(200))
            var epoch: ReplayEpoch?
            for _ in 0..<50 where epoch == nil { epoch = try? await store.epoch() }
            let known = try #require(epoch)
            server.pause()
            var failure: RedisReplayError?
            var waited = Duration.zero
            // On a busy machine the 200 ms may be over before Redis was asked: that says nothing about Redis.
            for _ in 0..<50 where !store.isAway {
                let start = ContinuousClock.now
                failure = await error { _ = try await insert("a", store, known) }
                waited = start.duration(to: .now)
                #expect(failure?.code == .unavailable)
            }
            #expect(store.isAway)
            // A busy machine may be late. Without the limit they would wait for as long as Redis hangs.
            #expect(waited >= .milliseconds(190) && waited < .seconds(30))
            let again = ContinuousClock.now
            _ = await error { _ = try await insert("b", store, known) }
            #expect(again.duration(to: .now) < .seconds(30))
            server.resume()
            var accepted: ReplayInsertion?
            for attempt in 0..<200 where accepted == nil {
                try await Task.sleep(for: .milliseconds(20))
                // Another proof each time: one whose answer came too late was recorded all the same.
                accepted = try? await insert("c \(attempt)", store, known)
            }
            #expect(accepted == .inserted && !store.isAway)
        }
    }

    @Test func `a connection that is cut at any byte loses nothing and accepts nothing twice`() async throws {
        try await withServer { server in
            let proxy = try CuttingProxy(to: server.path)
            let store = try Self.store(proxy.path)
            let epoch = try await store.epoch()
            for bytes in 0..<260 {
                proxy.cut(after: bytes)
                #expect(try await insert("\(bytes)", store, epoch) == .inserted, "cut after \(bytes) bytes")
                proxy.cut(after: nil)
                #expect(try await insert("\(bytes)", store, epoch) == .replayed, "cut after \(bytes) bytes")
            }
            #expect(proxy.cuts > 100)
            proxy.stop()
        }
    }

    @Test(arguments: ["allkeys-lru", "volatile-ttl", "allkeys-random"])
    func `Redis that evicts is not used`(policy: String) async throws {
        try await withServer(["--maxmemory-policy", policy]) { server in
            let failure = await error { _ = try await Self.store(server.path).epoch() }
            #expect(failure?.code == .misconfigured)
            #expect(failure?.reason.contains("maxmemory-policy noeviction") == true)
        }
    }

    @Test func `Redis that begins to evict while it is used is found by the next look`() async throws {
        try await withServer { server in
            let store = try Self.store(server.path)
            let epoch = try await store.epoch()
            try await server.command("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
            #expect(await error { _ = try await store.epoch() }?.code == .misconfigured)
            try await Task.sleep(for: .milliseconds(150))
            #expect(await error { _ = try await insert("a", store, epoch) }?.code == .misconfigured)
        }
    }

    @Test func `a replica accepts nothing, and is used once it is the primary`() async throws {
        try await withServer { server in
            let store = try Self.store(server.path)
            let epoch = try await store.epoch()
            #expect(try await server.command("REPLICAOF", "127.0.0.1", "1") == "OK")
            #expect(await error { _ = try await insert("a", store, epoch) }?.code == .unavailable)
            #expect(await error { _ = try await Self.store(server.path).epoch() }?.reason.contains("replica") == true)
            #expect(try await server.command("REPLICAOF", "NO", "ONE") == "OK")
            try await Task.sleep(for: .milliseconds(150))
            #expect(try await insert("a", store, epoch) == .inserted)
        }
    }

    @Test func `full means full, nothing is forgotten to make room`() async throws {
        try await withServer { server in
            let store = try Self.store(server.path)
            let epoch = try await store.epoch()
            #expect(try await insert("a", store, epoch) == .inserted)
            try await server.command("CONFIG", "SET", "maxmemory", "1")
            let failure = await error { _ = try await insert("b", store, epoch) }
            #expect(failure?.code == .unavailable && failure?.reason == "Redis is full; raise maxmemory")
            #expect(store.isAway)
            #expect(try await server.command("KEYS", "kb:r:*").split(separator: "\n").count == 1)
            // A look that only reads would find nothing wrong.
            try await Task.sleep(for: .milliseconds(150))
            #expect(await error { _ = try await store.epoch() }?.reason == failure?.reason)
            #expect(store.isAway)
            try await server.command("CONFIG", "SET", "maxmemory", "0")
            try await Task.sleep(for: .milliseconds(150))
            #expect(try await store.epoch() == epoch)
            #expect(!store.isAway)
            #expect(try await insert("b", store, epoch) == .inserted)
            #expect(try await insert("a", store, epoch) == .replayed)
        }
    }

    @Test func `a look finds Redis that is full before a proof comes`() async throws {
        try await withServer { server in
            let store = try Self.store(server.path)
            _ = try await store.epoch()
            try await server.command("CONFIG", "SET", "maxmemory", "1")
            #expect(await error { _ = try await store.epoch() }?.reason == "Redis is full; raise maxmemory")
            #expect(store.isAway)
        }
    }

    @Test func `a password is needed, right, and never shown`() async throws {
        try await withServer(["--requirepass", "MARK-password"]) { server in
            var configuration = RedisReplayConfiguration(address: try RedisAddress("unix:" + server.path))
            configuration.timeout = .seconds(60)
            for (password, code) in [
                (nil, RedisReplayError.Code.misconfigured), ("wrong", .misconfigured), ("MARK-password", nil),
            ] as [(String?, RedisReplayError.Code?)] {
                configuration.password = password.map { Array($0.utf8) }
                let store = RedisReplayStore(configuration)
                let failure = await error { _ = try await store.epoch() }
                #expect(failure?.code == code)
                #expect(failure?.reason.contains("MARK") != true)
                var dumped = ""
                dump(configuration, to: &dumped)
                #expect(!dumped.contains("MARK") && !"\(configuration)".contains("MARK"))
            }
        }
    }

    @Test func `another password is used from the next connection on`() async throws {
        try await withServer(["--requirepass", "old"]) { server in
            var configuration = RedisReplayConfiguration(address: try RedisAddress("unix:" + server.path))
            configuration.timeout = .seconds(60)
            configuration.password = Array("old".utf8)
            let store = RedisReplayStore(configuration)
            let epoch = try await store.epoch()
            let change = ["-a", "old", "--no-auth-warning", "CONFIG", "SET", "requirepass", "new"]
            #expect(try await server.command(change) == "OK")
            store.signIn(as: nil, password: Array("new".utf8))
            #expect(try await insert("a", store, epoch) == .inserted)
            try await server.command(["-a", "new", "--no-auth-warning", "CLIENT", "KILL", "TYPE", "normal"])
            #expect(try await insert("b", store, epoch) == .inserted)
        }
    }

    @Test func `a user of Redis with only the rights that are needed will do`() async throws {
        try await withServer { server in
            let rights = ["on", ">secret", "~kb:*", "+get", "+set", "+info"]
            #expect(try await server.command(["ACL", "SETUSER", "keybound"] + rights) == "OK")
            var configuration = RedisReplayConfiguration(address: try RedisAddress("unix:" + server.path))
            configuration.timeout = .seconds(60)
            configuration.username = "keybound"
            configuration.password = Array("secret".utf8)
            let store = RedisReplayStore(configuration)
            #expect(try await insert("a", store, try await store.epoch()) == .inserted)
            try await server.command("ACL", "SETUSER", "keybound", "-set")
            #expect(await error { _ = try await insert("b", store, try await store.epoch()) }?.code == .misconfigured)
        }
    }

    @Test func `without Redis there is an error, at once from the second time on`() async throws {
        let store = try Self.store("/nowhere/redis.sock")
        for _ in 0..<3 { #expect(await error { _ = try await store.epoch() }?.code == .unavailable) }
        store.close()
        #expect(await error { _ = try await store.epoch() }?.code == .closed)
    }

    @Test(arguments: ["unix:/run/redis.sock", "127.0.0.1:6379", "[::1]:1"])
    func `addresses of this machine`(text: String) throws {
        #expect(try RedisAddress(text).description == text)
    }

    @Test(arguments: [
        "", "unix:", "unix:redis.sock", "redis.example:6379", "10.0.0.1:6379", "127.0.0.1", "127.0.0.1:0",
        "127.0.0.1:65536", "localhost:6379", "redis://127.0.0.1:6379", "unix:/a\0b",
    ])
    func `other addresses are rejected: hiredis has no TLS`(text: String) {
        #expect(throws: RedisReplayError.self) { try RedisAddress(text) }
    }
}
#endif
