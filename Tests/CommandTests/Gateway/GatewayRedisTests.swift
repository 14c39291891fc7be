// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import RedisServer
import TestSupport
import Testing

@Suite("Gateway: several with one Redis", .timeLimit(.minutes(3)))
struct GatewayRedisTests {
    /// Two gateways of one issuer that share a Redis.
    private struct Stages {
        let redis: RedisServer
        let first: GatewayStage
        let second: GatewayStage

        init(_ options: [String] = []) async throws {
            redis = try await RedisServer(options)
            first = try GatewayStage()
            second = try GatewayStage(of: first.issuer)
            for stage in all {
                try writeSecret(1, of: stage)
                try stage.write(more: setting)
            }
        }

        var all: [GatewayStage] { [first, second] }

        var setting: String {
            #""redis": { "address": "unix:\#(redis.path)", "nonceSecretFile": "nonces" }, "#
        }

        func writeSecret(_ number: UInt8, of stage: GatewayStage) throws {
            try stage.directory.write(Data([UInt8](repeating: number, count: 32)), to: "nonces")
        }

        func start() async throws -> [KeyboundProcess] {
            var processes: [KeyboundProcess] = []
            for stage in all {
                processes.append(try await stage.start())
                #expect(try await stage.becomesReady())
            }
            return processes
        }

        func stop(_ processes: [KeyboundProcess]) async {
            for (stage, process) in zip(all, processes) { _ = await stage.stop(process) }
            await redis.remove()
        }

        func proof(_ token: String, _ nonce: String) async throws -> String {
            try await first.issuer.proof("GET", GatewayStage.api + "/notes", token, nonce: nonce)
        }

        /// The answer to a proof that was made before, as soon as Redis has its say.
        ///
        /// On a busy machine Redis may need longer than its 200 ms; then the gateway answers 503.
        func answer(of stage: GatewayStage, to proof: String, _ token: String) async throws -> RawResponse {
            var answer = try await stage.present(proof, token)
            for _ in 0..<200 where answer.status == 503 {
                try await Task.sleep(for: .milliseconds(50))
                answer = try await stage.present(proof, token)
            }
            return answer
        }

        /// Has a gateway accept a new proof, as soon as Redis has its say.
        ///
        /// Each try has a proof of its own: one that got 503 may have been recorded.
        ///
        /// - Returns: The proof.
        @discardableResult
        func useProof(at stage: GatewayStage, _ token: String, _ nonce: String) async throws -> String {
            var proof = try await proof(token, nonce)
            var status = try await stage.present(proof, token).status
            for _ in 0..<200 where status == 503 {
                try await Task.sleep(for: .milliseconds(50))
                proof = try await self.proof(token, nonce)
                status = try await stage.present(proof, token).status
            }
            #expect(status == 200)
            return proof
        }

        func status(_ stage: GatewayStage, of path: String) async throws -> RawResponse {
            try await stage.get(path, port: stage.metrics)
        }

        /// Cuts the connections to Redis; the status of a request to the first gateway after that.
        func statusOnANewConnection(password: String, nonce: String) async throws -> Int {
            try await redis.command(["-a", password, "--no-auth-warning", "CLIENT", "KILL", "TYPE", "normal"])
            // The connection may be lost while a question is on it.
            var status = 503
            for _ in 0..<200 where status == 503 {
                status = try await first.ask(nonce: nonce).status
                if status == 503 { try await Task.sleep(for: .milliseconds(50)) }
            }
            return status
        }
    }

    /// Has a gateway read its configuration again.
    private func readAgain(_ process: KeyboundProcess) async throws {
        process.hangUp()
        for _ in 0..<1500 where !process.errorsSoFar.contains("was read again") {
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    @Test func `attack 91, a nonce fits both gateways, and a proof is accepted once over both`() async throws {
        let stages = try await Stages()
        let processes = try await stages.start()
        let token = try await stages.first.issuer.token(for: GatewayStage.api)
        let nonce = try await stages.first.nonce()
        for (one, other) in [(stages.first, stages.second), (stages.second, stages.first)] {
            let proof = try await stages.useProof(at: one, token, nonce)
            for stage in [other, one] {
                let again = try await stages.answer(of: stage, to: proof, token)
                #expect(again.status == 401)
                #expect(again.field("WWW-Authenticate")?.contains("invalid_dpop_proof") == true)
            }
        }
        await stages.stop(processes)
    }

    @Test func `attack 91, after Redis was emptied no proof of before is accepted, and clients go on with a new nonce`()
        async throws
    {
        let stages = try await Stages()
        let processes = try await stages.start()
        let token = try await stages.first.issuer.token(for: GatewayStage.api)
        let nonce = try await stages.first.nonce()
        let proof = try await stages.useProof(at: stages.first, token, nonce)
        try await stages.redis.command("FLUSHALL")
        for stage in stages.all {
            let refused = try await stages.answer(of: stage, to: proof, token)
            #expect(refused.status == 401)
            #expect(refused.field("WWW-Authenticate")?.contains("use_dpop_nonce") == true)
            let new = try #require(refused.field("DPoP-Nonce"))
            #expect(new != nonce)
            try await stages.useProof(at: stage, token, new)
        }
        await stages.stop(processes)
    }

    @Test func `a nonce for the new memory of Redis is taken by a gateway that has not noticed it yet`() async throws {
        let stages = try await Stages()
        let processes = try await stages.start()
        let token = try await stages.first.issuer.token(for: GatewayStage.api)
        let proof = try await stages.proof(token, stages.first.nonce())
        try await stages.redis.command("FLUSHALL")
        let refused = try await stages.answer(of: stages.first, to: proof, token)
        let new = try #require(refused.field("DPoP-Nonce"))
        // A load balancer sends the next request to the other one.
        try await stages.useProof(at: stages.second, token, new)
        await stages.stop(processes)
    }

    @Test func `without Redis every request gets 503, readiness says why, and it goes on when Redis is there again`()
        async throws
    {
        let stages = try await Stages()
        let processes = try await stages.start()
        let token = try await stages.first.issuer.token(for: GatewayStage.api)
        let nonce = try await stages.first.nonce()
        await stages.redis.kill()
        for stage in stages.all {
            let refused = try await stage.present(stages.proof(token, nonce), token)
            #expect(refused.status == 503)
            #expect(refused.field("Retry-After") != nil)
            var ready = try await stages.status(stage, of: "/ready")
            for _ in 0..<1200 where ready.status == 200 {
                try await Task.sleep(for: .milliseconds(50))
                ready = try await stages.status(stage, of: "/ready")
            }
            #expect(ready.status == 503 && ready.text.contains("Redis"))
            #expect(try await stage.metric("keybound_replay_store_up") == "0")
        }
        try await stages.redis.start()
        for stage in stages.all {
            #expect(try await stage.becomesReady())
            let new = try await stage.nonce()
            try await stages.useProof(at: stage, token, new)
        }
        await stages.stop(processes)
    }

    @Test func `Redis that is full counts as away until it takes a write again`() async throws {
        let stages = try await Stages()
        let processes = try await stages.start()
        let token = try await stages.first.issuer.token(for: GatewayStage.api)
        let nonce = try await stages.first.nonce()
        try await stages.redis.command("CONFIG", "SET", "maxmemory", "1")
        for (stage, process) in zip(stages.all, processes) {
            #expect(try await stage.present(stages.proof(token, nonce), token).status == 503)
            var ready = try await stages.status(stage, of: "/ready")
            for _ in 0..<200 where ready.status == 200 {
                try await Task.sleep(for: .milliseconds(50))
                ready = try await stages.status(stage, of: "/ready")
            }
            // The looks of the next seconds change nothing.
            try await Task.sleep(for: .milliseconds(2500))
            ready = try await stages.status(stage, of: "/ready")
            #expect(ready.status == 503 && ready.text.contains("Redis"))
            #expect(try await stage.metric("keybound_replay_store_up") == "0")
            #expect(process.errorsSoFar.contains("Redis is full; raise maxmemory"))
        }
        try await stages.redis.command("CONFIG", "SET", "maxmemory", "0")
        for stage in stages.all {
            #expect(try await stage.becomesReady())
            try await stages.useProof(at: stage, token, try await stage.nonce())
        }
        await stages.stop(processes)
    }

    @Test func `Redis that evicts stops the start, with what to do`() async throws {
        let stages = try await Stages(["--maxmemory-policy", "allkeys-lru"])
        let result = try await KeyboundProcess.run(["gateway", "--config", "gateway.json"], in: stages.first.directory)
        #expect(result.status == 2)
        #expect(result.errors.contains("set maxmemory-policy noeviction"), Comment(rawValue: result.errors))
        await stages.stop([])
    }

    @Test func `a gateway starts before Redis, and waits for it`() async throws {
        let stages = try await Stages()
        await stages.redis.kill()
        let process = try await stages.first.start()
        #expect(try await stages.status(stages.first, of: "/ready").status == 503)
        try await stages.redis.start()
        #expect(try await stages.first.becomesReady())
        await stages.stop([process])
    }

    @Test func `a gateway starts while its Redis is a replica, and goes on when it is the primary`() async throws {
        let stages = try await Stages()
        #expect(try await stages.redis.command("REPLICAOF", "127.0.0.1", "1") == "OK")
        // Exit code 2 would keep systemd from starting it again.
        let process = try await stages.first.start()
        let waiting = try await stages.status(stages.first, of: "/ready")
        #expect(waiting.status == 503 && waiting.text.contains("Redis"), "\(waiting.text)")
        #expect(try await stages.redis.command("REPLICAOF", "NO", "ONE") == "OK")
        #expect(try await stages.first.becomesReady())
        await stages.stop([process])
    }

    @Test func `SIGHUP takes a new secret, and the nonces of the one before stay valid`() async throws {
        let stages = try await Stages()
        let processes = try await stages.start()
        let token = try await stages.first.issuer.token(for: GatewayStage.api)
        let old = try await stages.first.nonce()
        for (stage, process) in zip(stages.all, processes) {
            try stages.writeSecret(2, of: stage)
            process.hangUp()
            _ = try await process.errorLine(beginningWith: "{")
        }
        var new = old
        for _ in 0..<1200 where new == old {
            try await Task.sleep(for: .milliseconds(50))
            new = try await stages.first.nonce()
        }
        #expect(new != old)
        for nonce in [old, new] { try await stages.useProof(at: stages.second, token, nonce) }
        await stages.stop(processes)
    }

    @Test func `SIGHUP takes a new password of Redis for the next connection`() async throws {
        let stages = try await Stages(["--requirepass", "old"])
        let stage = stages.first
        let setting = stages.setting.replacing(" }", with: #", "passwordFile": "password" }"#)
        try stage.directory.write("old", to: "password")
        try stage.write(more: setting)
        let process = try await stage.start()
        #expect(try await stage.becomesReady())
        let nonce = try await stage.nonce()
        let change = ["-a", "old", "--no-auth-warning", "CONFIG", "SET", "requirepass", "new"]
        #expect(try await stages.redis.command(change) == "OK")
        try stage.directory.write("new", to: "password")
        try await readAgain(process)
        #expect(try await stages.statusOnANewConnection(password: "new", nonce: nonce) == 200)
        await stages.stop([process])
    }

    @Test func `attack: SIGHUP sends the password of another Redis to none but that one`() async throws {
        let stages = try await Stages(["--requirepass", "old"])
        let stage = stages.first
        let setting = stages.setting.replacing(" }", with: #", "passwordFile": "password" }"#)
        try stage.directory.write("old", to: "password")
        try stage.write(more: setting)
        let process = try await stage.start()
        #expect(try await stage.becomesReady())
        let nonce = try await stage.nonce()
        try stage.directory.write("of-the-other-one", to: "password")
        try stage.write(more: setting.replacing(stages.redis.path, with: "/nowhere/redis.sock"))
        try await readAgain(process)
        #expect(process.errorsSoFar.contains("only after a restart: 'redis.address'"), "\(process.errorsSoFar)")
        // With the other password there would never be a new connection.
        #expect(try await stages.statusOnANewConnection(password: "old", nonce: nonce) == 200)
        await stages.stop([process])
    }

    @Test func `settings that cannot be used are named`() async throws {
        let stages = try await Stages()
        let stage = stages.first
        try stages.writeSecret(1, of: stage)
        try stage.directory.write("short", to: "short")
        for (setting, message) in [
            (#"{ "address": "redis.example:6379", "nonceSecretFile": "nonces" }"#, "tunnel with TLS"),
            (#"{ "address": "127.0.0.1:6379" }"#, "'redis.nonceSecretFile'"),
            (#"{ "address": "127.0.0.1:6379", "nonceSecretFile": "short" }"#, "32 random bytes"),
            (#"{ "nonceSecretFile": "nonces" }"#, "'redis.address'"),
            (#"{ "address": "127.0.0.1:6379", "nonceSecretFile": "nonces", "username": "a" }"#, "'redis.passwordFile'"),
            (#"{ "adress": "127.0.0.1:6379" }"#, "did you mean 'address'?"),
        ] {
            try stage.write(more: "\"redis\": \(setting), ")
            let result = try await KeyboundProcess.run(["gateway", "--config", "gateway.json"], in: stage.directory)
            #expect(result.status == 2)
            #expect(result.errors.contains(message), Comment(rawValue: result.errors))
        }
        await stages.stop([])
    }

    @Test func `paths in the configuration file are in its folder, wherever the gateway is started`() async throws {
        let stages = try await Stages(["--requirepass", "secret"])
        let stage = stages.first
        try stage.directory.write("secret\n", to: "password")
        try stage.write(
            more: #""redis": { "address": "unix:\#(stages.redis.path)", "nonceSecretFile": "nonces", "#
                + #""passwordFile": "password" }, "#
        )
        let elsewhere = try TemporaryDirectory()
        let process = try KeyboundProcess(
            ["gateway", "--config", stage.directory.path + "/gateway.json"],
            in: elsewhere
        )
        _ = try await process.line(beginningWith: "listening")
        #expect(try await stage.becomesReady())
        _ = try await stage.nonce()
        await stages.stop([process])
    }
}
#endif
