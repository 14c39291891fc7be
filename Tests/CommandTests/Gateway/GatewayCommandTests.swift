// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import JOSE
import StrictJSON
import TestSupport
import Testing

@Suite("Gateway: the command")
struct GatewayCommandTests {
    private static let api = GatewayStage.api

    @Test(.timeLimit(.minutes(2)))
    func `it answers questions, counts them, and logs why it refused`() async throws {
        let stage = try GatewayStage()
        try stage.write()
        let process = try await stage.start()
        let nonce = try await stage.nonce()
        #expect(try await stage.becomesReady())
        #expect(try await stage.get("/health", port: stage.metrics).status == 200)
        let token = try await stage.issuer.token(for: Self.api)
        for _ in 0..<3 {
            let answer = try await stage.ask(token: token, nonce: nonce)
            #expect(answer.status == 200)
            #expect(answer.field("X-Keybound-Subject") == "alice")
        }
        let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
        let refused = try await stage.ask(
            "/other?secret=x",
            nonce: nonce,
            more: [
                "X-Request-Id: request-7", "X-Forwarded-For: 192.0.2.7", "traceparent: 00-\(trace)-00f067aa0ba902b7-01",
            ]
        )
        #expect(refused.status == 403)
        let labels = #"keybound_gateway_decisions_total{api="https://api.example.com",decision="#
        #expect(try await stage.metric(labels + #""pass",reason="accepted"}"#) == "3")
        #expect(try await stage.metric(labels + #""refuse",reason="no-rule"}"#) == "1")
        #expect(try await stage.metric("keybound_gateway_token_memory_hits_total").map { Int($0) ?? 0 } == 2)
        #expect(try await stage.metric("keybound_replay_store_proofs") == "3")
        // What alerts ask about server and gateway alike.
        let started = try #require(try await stage.metric("process_start_time_seconds").flatMap { Double($0) })
        #expect(abs(Date.now.timeIntervalSince1970 - started) < 120)
        #expect(try await stage.metric("process_open_fds").flatMap { Int($0) } ?? 0 > 3)
        let result = await stage.stop(process)
        #expect(result.status == 0)
        let line = try #require(result.errors.split(separator: "\n").first { $0.contains("no-rule") })
        let entry = try #require(try JSONValue(parsing: Array(line.utf8)).objectValue)
        #expect(entry["status"] == 403)
        #expect(entry["path"] == "/other")
        #expect(entry["method"] == "GET")
        #expect(entry["request_id"] == "request-7")
        #expect(entry["trace_id"] == .string(trace))
        #expect(entry["address"] == "192.0.2.7")
        #expect(!result.errors.contains("secret"))
        #expect(!result.errors.contains(token))
    }

    @Test(.timeLimit(.minutes(2)))
    func `attack: a peer that is not a trusted proxy, and a question with a body`() async throws {
        let stage = try GatewayStage()
        try stage.write(trusted: "192.0.2.1")
        let process = try await stage.start()
        let answer = try await stage.ask()
        #expect(answer.status == 403)
        #expect(answer.field("WWW-Authenticate") == nil)
        let body = try await stage.ask("/notes", more: ["Content-Length: 1"])
        #expect(body.status == 413)
        let chunks = try await stage.ask("/notes", more: ["Transfer-Encoding: chunked"])
        #expect(chunks.status == 411)
        _ = await stage.stop(process)
    }

    @Test(.timeLimit(.minutes(2)))
    func `on SIGHUP the rules change, and a broken file changes nothing`() async throws {
        let stage = try GatewayStage()
        try stage.write()
        let process = try await stage.start()
        let nonce = try await stage.nonce()
        #expect(try await stage.ask("/more", nonce: nonce).status == 403)
        try stage.write(rules: #"{ "path": "/more" }"#)
        process.hangUp()
        _ = try await process.errorLine(beginningWith: "{\"time\"")
        for _ in 0..<1500 where !process.errorsSoFar.contains("read again") {
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(try await stage.ask("/more", nonce: nonce).status == 200)
        #expect(try await stage.ask("/notes", nonce: nonce).status == 403)
        try stage.directory.write("{ \"rules\": ", to: "gateway.json")
        process.hangUp()
        for _ in 0..<1500 where !process.errorsSoFar.contains("was not read again") {
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(process.errorsSoFar.contains("the rules of before stay"))
        #expect(try await stage.ask("/more", nonce: nonce).status == 200)
        #expect(try await stage.get("/ready", port: stage.metrics).status == 200)
        try stage.write(rules: #"{ "path": "/more" }"#)
        let text = try stage.directory.text(of: "gateway.json")
        try stage.directory.write(text.replacing("127.0.0.1:\(stage.port)", with: "127.0.0.1:1"), to: "gateway.json")
        process.hangUp()
        for _ in 0..<1500 where !process.errorsSoFar.contains("only after a restart") {
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(process.errorsSoFar.contains("only after a restart: 'listen'"), "\(process.errorsSoFar)")
        #expect(try await stage.ask("/more", nonce: nonce).status == 200)
        _ = await stage.stop(process)
    }

    @Test(.timeLimit(.minutes(2)))
    func `on SIGHUP it names every changed setting that waits for a restart`() async throws {
        let stage = try GatewayStage()
        try stage.write()
        let process = try await stage.start()
        try stage.directory.write(Data([UInt8](repeating: 1, count: 32)), to: "nonces")
        try stage.write(
            trusted: "127.0.0.0/8",
            more: """
                "socketMode": "0600", "jwksURI": "http://127.0.0.1:9/jwks", "logLevel": "info", "drainTimeout": "3s",
                "redis": { "address": "127.0.0.1:9", "nonceSecretFile": "nonces" },
                """
        )
        let text = try stage.directory.text(of: "gateway.json").replacing(
            "127.0.0.1:\(stage.metrics)",
            with: "127.0.0.1:1"
        )
        try stage.directory.write(text, to: "gateway.json")
        process.hangUp()
        for _ in 0..<1500 where !process.errorsSoFar.contains("was read again") {
            try await Task.sleep(for: .milliseconds(20))
        }
        let names = ["socketMode", "metricsListen", "jwksURI", "redis.address", "logLevel", "drainTimeout"]
        let list = names.map { "'\($0)'" }.joined(separator: ", ")
        #expect(process.errorsSoFar.contains("only after a restart: \(list)"), "\(process.errorsSoFar)")
        #expect(process.errorsSoFar.contains("'trustedProxies' decides at once"), "\(process.errorsSoFar)")
        _ = await stage.stop(process)
    }

    @Test(.timeLimit(.minutes(2)))
    func `attack: after SIGHUP with another issuer, keys of the former one sign none of its tokens`() async throws {
        let stage = try GatewayStage()
        try stage.write()
        let process = try await stage.start()
        let nonce = try await stage.nonce()
        let other = "http://127.0.0.1:1"
        let text = try stage.directory.text(of: "gateway.json")
        try stage.directory.write(text.replacing(stage.issuer.address, with: other), to: "gateway.json")
        process.hangUp()
        for _ in 0..<1500 where !process.errorsSoFar.contains("read again") {
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(process.errorsSoFar.contains("only after a restart: 'issuer'"), "\(process.errorsSoFar)")
        let mixed = try await stage.issuer.token(for: Self.api) { $0["iss"] = .string(other) }
        #expect(try await stage.ask(token: mixed, nonce: nonce).status == 401)
        #expect(try await stage.ask(nonce: nonce).status == 200)
        _ = await stage.stop(process)
    }

    @Test(.timeLimit(.minutes(2)))
    func `without the issuer it starts, is not ready, and refuses with 503`() async throws {
        let stage = try GatewayStage()
        try stage.write()
        await stage.issuer.stop()
        let process = try await stage.start()
        let answer = try await stage.ask()
        #expect(answer.status == 503)
        #expect(answer.field("Retry-After") == "2")
        #expect(try await stage.get("/ready", port: stage.metrics).status == 503)
        #expect(try await stage.get("/health", port: stage.metrics).status == 200)
        _ = await stage.stop(process)
    }

    @Test(.timeLimit(.minutes(2)))
    func `attack: keys rotate while it runs, and tokens of a withdrawn key are rejected`() async throws {
        let stage = try GatewayStage()
        try stage.write()
        let process = try await stage.start()
        let nonce = try await stage.nonce()
        let old = try await stage.issuer.token(for: Self.api)
        #expect(try await stage.ask(token: old, nonce: nonce).status == 200)
        // A new name makes the gateway fetch the keys, at most every ten seconds.
        stage.issuer.publish(try TestKey.p256(3), as: "key-2")
        let new = try await stage.issuer.token(for: Self.api, kid: "key-2")
        var last = 401
        for _ in 0..<60 where last != 200 {
            last = try await stage.ask(token: new, nonce: nonce).status
            if last != 200 { try await Task.sleep(for: .milliseconds(500)) }
        }
        #expect(last == 200)
        #expect(try await stage.ask(token: old, nonce: nonce).status == 401)
        _ = await stage.stop(process)
    }

    @Test(.timeLimit(.minutes(2)))
    func `opaque tokens are introspected, and the answer is used for its time`() async throws {
        let stage = try GatewayStage()
        try stage.directory.write("secret\n", to: "secret")
        try stage.write(
            more: """
                "introspection": { "endpoint": "\(stage.issuer.address)/introspect", "clientID": "api",
                                   "clientSecretFile": "secret", "cache": "60s" },
                """
        )
        stage.issuer.introspects(as: [
            "active": true, "sub": "alice", "client_id": "app", "aud": .string(Self.api), "scope": "notes:read",
            "cnf": ["jkt": .string(stage.issuer.clientKey.publicKey.thumbprint.description)],
        ])
        // The secret is in the folder of the configuration file, wherever the gateway is started.
        let elsewhere = try TemporaryDirectory()
        let file = stage.directory.path + "/gateway.json"
        let process = try KeyboundProcess(["gateway", "--config", file], in: elsewhere)
        _ = try await process.line(beginningWith: "listening")
        let first = try await stage.ask(token: "opaque")
        let nonce = try #require(first.field("DPoP-Nonce"))
        for _ in 0..<3 { #expect(try await stage.ask(token: "opaque", nonce: nonce).status == 200) }
        #expect(stage.issuer.introspections == 1)
        stage.issuer.introspects(as: ["active": false])
        let trace = "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        #expect(try await stage.ask(token: "another", nonce: nonce, more: [trace]).status == 401)
        #expect(stage.issuer.introspections == 2)
        #expect(stage.issuer.introspectedTrace == String(trace.dropFirst(13)))
        _ = await stage.stop(process)
    }

    @Test(arguments: [
        (#"{ "path": "/a", "scopes": "x" }"#, "did you mean 'scope'?"),
        (#"{ "path": "a" }"#, "does not begin with a slash"),
        (#"{ "path": "/a", "methods": ["get"] }"#, "words such as GET"),
        (#"{ "path": "/a", "maxAge": "soon" }"#, "maxAge"),
        (#"{ "path": "/a", "maxAge": "3651d" }"#, "must be at most 3650d"),
        (#"{ "path": "/a", "open": true, "scope": "x" }"#, "open"), ("", "has no rules"),
        (#"{ "path": "/a", "open": true, "claims": { "g": ["x"] } }"#, "open"),
        (#"{ "path": "/a", "anyScope": [] }"#, "at least one scope"),
        (#"{ "path": "/a", "anyScope": ["a b"] }"#, "each one word"),
        (#"{ "path": "/a", "anyScope": ["a", "a"] }"#, "each scope once"),
        (#"{ "path": "/a", "claims": {} }"#, "at least one claim"),
        (#"{ "path": "/a", "claims": { "g": "x" } }"#, "an object of arrays of strings"),
        (#"{ "path": "/a", "claims": { "g": [] } }"#, "the claim 'g' has no values"),
        (#"{ "path": "/a", "claims": { "/g~2": ["x"] } }"#, "'~' must be written as '~0'"),
        (#"{ "path": "/a", "claims": { "g": ["x"], "/g": ["y"] } }"#, "the claim 'g' is listed twice"),
    ])
    func `mistakes in rules are named`(_ rule: String, _ message: String) async throws {
        let stage = try GatewayStage()
        try stage.write(rules: rule)
        let result = try await KeyboundProcess.run(
            ["gateway", "--config", "gateway.json", "--check"],
            in: stage.directory
        )
        #expect(result.status == 2)
        #expect(result.errors.contains(message), "\(result.errors)")
        await stage.issuer.stop()
    }

    @Test func `rules that never apply are named, and a gateway without trusted proxies is rejected`() async throws {
        let stage = try GatewayStage()
        try stage.write(rules: #"{ "path": "/**", "open": true }, { "path": "/notes", "scope": "x" }"#)
        let check = ["gateway", "--config", "gateway.json", "--check"]
        let result = try await KeyboundProcess.run(check, in: stage.directory)
        #expect(result.status == 0)
        #expect(result.output.contains("the rule for /notes never applies: the one for /** comes before it"))
        #expect(result.output.contains("everybody may use all paths of /**"))
        let text = try stage.directory.text(of: "gateway.json")
        try stage.directory.write(text.replacing("\"trustedProxies\": [\"127.0.0.1\"],", with: ""), to: "gateway.json")
        let open = try await KeyboundProcess.run(check, in: stage.directory)
        #expect(open.status == 2)
        #expect(open.errors.contains("trustedProxies"))
        await stage.issuer.stop()
    }

    @Test func `a socket of systemd is taken, and only one`() async throws {
        let stage = try GatewayStage()
        try stage.write()
        let text = try stage.directory.text(of: "gateway.json")
        try stage.directory.write(text.replacing("127.0.0.1:\(stage.port)", with: "systemd"), to: "gateway.json")
        let without = try await KeyboundProcess.run(["gateway", "--config", "gateway.json"], in: stage.directory)
        #expect(without.status == 2)
        #expect(without.errors.contains("systemd passed on no socket"))
        await stage.issuer.stop()
    }

    @Test func `a configuration of the proxy takes APIs, address and fields from that of the gateway`() async throws {
        let directory = try TemporaryDirectory()
        try directory.write(
            """
            { "listen": "unix:/run/other/gateway.sock", "proxy": ["nginx", "caddy"], "issuer": "https://auth.example.com",
              "apis": [
                { "address": "https://a.example.com", "rules": [], "claims": { "X-Keybound-Tenant": "tenant" } },
                { "address": "https://b.example.com", "rules": [], "claims": { "X-Keybound-Plan": "/account/plan" } }
              ] }
            """,
            to: "gateway.json"
        )
        let options = ["--config", "gateway.json", "--upstream", "127.0.0.1:1", "--upstream", "127.0.0.1:2"]
        let result = try await KeyboundProcess.run(["gateway", "config", "nginx"] + options, in: directory)
        #expect(result.status == 0, "\(result.errors)")
        // A field that the proxy does not know would be the client's.
        for text in [
            "a.example.com", "b.example.com", "X-Keybound-Tenant", "X-Keybound-Plan", "unix:/run/other/gateway.sock",
        ] {
            #expect(result.output.contains(text), "\(text)")
        }
        let other = try await KeyboundProcess.run(["gateway", "config", "haproxy"] + options, in: directory)
        #expect(other.status == 2)
        #expect(other.errors.contains("'proxy' in gateway.json does not name haproxy"), "\(other.errors)")
    }

    @Test func `a field that is named twice, perhaps in other capitals, is set once`() async throws {
        let names = ["X-Keybound-Tenant", "X-Keybound-TENANT", "X-Keybound-Tenant"]
        let result = try await KeyboundProcess.run(
            ["gateway", "config", "nginx"] + names.flatMap { ["--field", $0] },
            in: try TemporaryDirectory()
        )
        #expect(result.status == 0, "\(result.errors)")
        let lines = result.output.split(separator: "\n").filter { $0.contains("proxy_set_header X-Keybound-T") }
        #expect(lines.count == 1)
    }

    @Test(arguments: ["nginx", "caddy", "haproxy", "envoy", "traefik"])
    func `printed configurations name every identity field, and hostile addresses are rejected`(
        _ proxy: String
    ) async throws {
        let directory = try TemporaryDirectory()
        let gateway = proxy == "traefik" ? ["--gateway", "127.0.0.1:8085"] : []
        let arguments = ["gateway", "config", proxy] + gateway
        let lua = proxy == "haproxy" ? ["--lua"] : []
        let result = try await KeyboundProcess.run(arguments + lua + ["--field", "X-Keybound-Tenant"], in: directory)
        #expect(result.status == 0)
        for name in ["Subject", "Client", "Scope", "Issuer", "Acr", "Auth-Time", "Binding", "Tenant"] {
            // Traefik takes all by a pattern.
            let text = proxy == "traefik" ? "^x-keybound" : "x-keybound-\(name.lowercased())"
            #expect(result.output.lowercased().contains(text), "\(name)")
        }
        for options in [
            ["--upstream", "127.0.0.1:9000;}"], ["--upstream", "nowhere"], ["--api", "http://api.example.com"],
            ["--api", "https://api.example.com/path"], ["--field", "X-Other"], ["--certificate", "/etc/x y"],
        ] {
            let refused = try await KeyboundProcess.run(arguments + options, in: directory)
            #expect(refused.status == 2, "\(options)")
        }
    }
}
#endif
