// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import JOSE
import StrictJSON
import TestSupport
import Testing

@Suite("Gateway: several issuers in the configuration", .timeLimit(.minutes(2)))
struct GatewaySeveralIssuersTests {
    /// Writes a configuration with other issuers than the one of the stage, and more members for its API.
    private func write(_ issuers: String, to stage: GatewayStage, api: String = "") throws {
        try stage.write()
        let text = try stage.directory.text(of: "gateway.json")
            .replacing("\"issuer\": \"\(stage.issuer.address)\"", with: issuers)
            .replacing("\"rules\":", with: api + "\"rules\":")
        try stage.directory.write(text, to: "gateway.json")
    }

    /// Another issuer, whose key has the same name.
    private func secondIssuer() throws -> GatewayIssuer {
        let issuer = try GatewayIssuer()
        issuer.publish(try TestKey.p256(3), as: "key-1")
        return issuer
    }

    @Test func `tokens of each pass by its own rules, and the API learns whose they are`() async throws {
        let stage = try GatewayStage()
        let second = try secondIssuer()
        try write(
            """
            "issuers": ["\(stage.issuer.address)",
                        { "issuer": "\(second.address)", "tokenProfile": "jwtWithoutExplicitType" }]
            """,
            to: stage,
            api: "\"audiences\": { \"\(second.address)\": \"notes-api\" }, "
        )
        let process = try await stage.start()
        let nonce = try await stage.nonce()
        let other = try await second.token(for: "notes-api") { claims in
            for name in ["client_id", "iat", "jti"] { claims[name] = nil }
            claims["azp"] = "shop"
        }
        for (issuer, token) in [(stage.issuer, try await stage.issuer.token(for: GatewayStage.api)), (second, other)] {
            let answer = try await stage.ask(token: token, nonce: nonce)
            #expect(answer.status == 200)
            #expect(answer.field("X-Keybound-Subject") == "alice")
            #expect(answer.field("X-Keybound-Issuer") == issuer.address)
        }
        // The audience, the profile and the key of one are not those of the other.
        let refused = [
            try await second.token(for: GatewayStage.api), try await stage.issuer.token(for: "notes-api"),
            try await stage.issuer.token(for: GatewayStage.api) { $0["jti"] = nil },
            try await stage.issuer.token(for: "notes-api") { $0["iss"] = .string(second.address) },
            try await second.token(for: GatewayStage.api) { $0["iss"] = .string(stage.issuer.address) },
            try await second.token(for: "notes-api") { $0["iss"] = .string(second.address + "/") },
        ]
        for (index, token) in refused.enumerated() {
            #expect(try await stage.ask(token: token, nonce: nonce).status == 401, "\(index)")
        }
        _ = await stage.stop(process)
        await second.stop()
    }

    @Test func `one that is away stops its own tokens only, and readiness and metrics say so`() async throws {
        let stage = try GatewayStage()
        let second = try secondIssuer()
        await second.stop()
        try write("\"issuers\": [\"\(second.address)\", \"\(stage.issuer.address)\"]", to: stage)
        let process = try await stage.start()
        #expect(try await stage.becomesReady())
        let nonce = try await stage.nonce()
        #expect(try await stage.ask(nonce: nonce).status == 200)
        let token = try await second.token(for: GatewayStage.api)
        #expect(try await stage.ask(token: token, nonce: nonce).status == 503)
        let ready = try await stage.get("/ready", port: stage.metrics)
        #expect(ready.status == 200)
        #expect(ready.text.contains("the keys of the issuer \(second.address) cannot be reached"), "\(ready.text)")
        #expect(!ready.text.contains("the issuer \(stage.issuer.address) cannot"), "\(ready.text)")
        let metric = "keybound_gateway_issuer_keys_up"
        #expect(try await stage.metric("\(metric){issuer=\"\(second.address)\"}") == "0")
        #expect(try await stage.metric("\(metric){issuer=\"\(stage.issuer.address)\"}") == "1")
        for _ in 0..<1500 where !process.errorsSoFar.contains("its tokens get 503") {
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(process.errorsSoFar.contains("its tokens get 503"), "\(process.errorsSoFar)")
        _ = await stage.stop(process)
    }

    @Test func `without the keys of any it is not ready`() async throws {
        let stage = try GatewayStage()
        let second = try secondIssuer()
        await second.stop()
        await stage.issuer.stop()
        try write("\"issuers\": [\"\(second.address)\", \"\(stage.issuer.address)\"]", to: stage)
        let process = try await stage.start()
        #expect(try await stage.ask().status == 503)
        let ready = try await stage.get("/ready", port: stage.metrics)
        #expect(ready.status == 503)
        for issuer in [second, stage.issuer] { #expect(ready.text.contains(issuer.address), "\(ready.text)") }
        _ = await stage.stop(process)
    }

    @Test func `attack: an issuer that SIGHUP adds has no keys before a restart, and no other's`() async throws {
        let stage = try GatewayStage()
        let second = try secondIssuer()
        try write("\"issuers\": [\"\(stage.issuer.address)\"]", to: stage)
        let process = try await stage.start()
        let nonce = try await stage.nonce()
        try write("\"issuers\": [\"\(second.address)\", \"\(stage.issuer.address)\"]", to: stage)
        process.hangUp()
        for _ in 0..<1500 where !process.errorsSoFar.contains("read again") {
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(process.errorsSoFar.contains("only after a restart: 'issuers'"), "\(process.errorsSoFar)")
        let tokens = [
            try await second.token(for: GatewayStage.api),
            try await stage.issuer.token(for: GatewayStage.api) { $0["iss"] = .string(second.address) },
        ]
        for token in tokens { #expect(try await stage.ask(token: token, nonce: nonce).status == 401) }
        #expect(try await stage.ask(nonce: nonce).status == 200)
        _ = await stage.stop(process)
        await second.stop()
    }

    @Test func `on SIGHUP an issuer that the file no longer lists is dropped at once, until a restart`() async throws {
        let stage = try GatewayStage()
        let second = try secondIssuer()
        let (listed, added) = ("\"\(second.address)\"", "\"\(stage.issuer.address)\"")
        try write("\"issuers\": [\(listed), \(added)]", to: stage)
        let process = try await stage.start()
        let nonce = try await stage.nonce()
        let token = try await second.token(for: GatewayStage.api)
        #expect(try await stage.ask(token: token, nonce: nonce).status == 200)
        try write("\"issuers\": [\(added)]", to: stage)
        process.hangUp()
        for _ in 0..<1500 where !process.errorsSoFar.contains("read again") {
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(process.errorsSoFar.contains("\(second.address) are no longer accepted"), "\(process.errorsSoFar)")
        #expect(!process.errorsSoFar.contains("only after a restart"), "\(process.errorsSoFar)")
        #expect(try await stage.ask(token: token, nonce: nonce).status == 401)
        #expect(try await stage.ask(nonce: nonce).status == 200)
        let metrics = try await stage.get("/metrics", port: stage.metrics).text
        #expect(!metrics.contains(second.address), "\(metrics)")
        // Its keys are gone: to list it again is an addition.
        try write("\"issuers\": [\(listed), \(added)]", to: stage)
        process.hangUp()
        for _ in 0..<1500 where !process.errorsSoFar.contains("only after a restart: 'issuers'") {
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(process.errorsSoFar.contains("only after a restart: 'issuers'"), "\(process.errorsSoFar)")
        #expect(try await stage.ask(token: token, nonce: nonce).status == 401)
        _ = await stage.stop(process)
        await second.stop()
    }

    @Test func `on SIGHUP with none of the issuers all stay as they were, with their audiences`() async throws {
        let stage = try GatewayStage()
        let second = try secondIssuer()
        try write(
            "\"issuers\": [\"\(stage.issuer.address)\", \"\(second.address)\"]",
            to: stage,
            api: "\"audiences\": { \"\(second.address)\": \"notes-api\" }, "
        )
        let process = try await stage.start()
        let nonce = try await stage.nonce()
        try write("\"issuers\": [\"http://127.0.0.1:1\"]", to: stage)
        process.hangUp()
        for _ in 0..<1500 where !process.errorsSoFar.contains("read again") {
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(process.errorsSoFar.contains("only after a restart: 'issuers'"), "\(process.errorsSoFar)")
        #expect(try await stage.ask(nonce: nonce).status == 200)
        let token = try await second.token(for: "notes-api")
        #expect(try await stage.ask(token: token, nonce: nonce).status == 200)
        let wrong = try await second.token(for: GatewayStage.api)
        #expect(try await stage.ask(token: wrong, nonce: nonce).status == 401)
        _ = await stage.stop(process)
        await second.stop()
    }

    @Test func `on SIGHUP the algorithms of an issuer change at once`() async throws {
        let stage = try GatewayStage()
        let second = try secondIssuer()
        let list = "\"issuers\": [\"\(stage.issuer.address)\", { \"issuer\": \"\(second.address)\""
        try write(list + " }]", to: stage)
        let process = try await stage.start()
        let nonce = try await stage.nonce()
        let token = try await second.token(for: GatewayStage.api)
        #expect(try await stage.ask(token: token, nonce: nonce).status == 200)
        try write(list + ", \"tokenAlgorithms\": [\"RS256\"] }]", to: stage)
        process.hangUp()
        for _ in 0..<1500 where !process.errorsSoFar.contains("read again") {
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(!process.errorsSoFar.contains("only after a restart"), "\(process.errorsSoFar)")
        #expect(try await stage.ask(token: token, nonce: nonce).status == 401)
        #expect(try await stage.ask(nonce: nonce).status == 200)
        _ = await stage.stop(process)
        await second.stop()
    }

    @Test(arguments: [
        (#""issuers": []"#, "", "an array of issuers"), (#""issuers": "https://a.example""#, "", "an array of issuers"),
        (#""issuers": [1]"#, "", "an array of issuers"), (#""issuers": ["http://a.example"]"#, "", "an https URL"),
        (#""issuers": ["https://a.example", "https://a.example"]"#, "", "is listed twice"),
        (#""issuers": [{ "jwksURI": "https://a.example/jwks" }]"#, "", "'issuers[0].issuer'"),
        (#""issuers": [{ "issuer": "https://a.example", "audience": "x" }]"#, "", "'issuers[0].audience'"),
        (#""issuers": [{ "issuer": "https://a.example", "tokenProfile": "jwt" }]"#, "", "rfc9068"),
        (#""issuers": ["https://a.example"], "issuer": "https://a.example""#, "", "both 'issuer' and 'issuers'"),
        (#""issuers": ["https://a.example"], "jwksURI": "https://a.example/jwks""#, "", "'jwksURI'"),
        (#""issuers": ["https://a.example"], "tokenAlgorithms": ["RS256"]"#, "", "'tokenAlgorithms'"),
        (#""issuers": ["https://a.example"], "introspection": {}"#, "", "must be JWTs"),
        (#""issuers": ["https://a.example"]"#, #""tokenProfile": "rfc9068", "#, "'tokenProfile'"),
        (
            #""issuers": ["https://a.example"]"#, #""audiences": { "https://a.example/": "x" }, "#,
            "not one of the issuers"
        ), (#""logLevel": "info""#, "", "neither 'issuer' nor 'issuers'"),
        (#""issuer": "https://a.example", "tokenAlgorithms": []"#, "", "signature algorithms"),
        (#""issuers": [{ "issuer": "https://a.example", "tokenAlgorithms": [] }]"#, "", "signature algorithms"),
    ])
    func `mistakes are named`(_ issuers: String, _ api: String, _ message: String) async throws {
        let stage = try GatewayStage()
        try write(issuers, to: stage, api: api)
        let check = ["gateway", "--config", "gateway.json", "--check"]
        let result = try await KeyboundProcess.run(check, in: stage.directory)
        #expect(result.status == 2)
        #expect(result.errors.contains(message), "\(result.errors)")
        await stage.issuer.stop()
    }
}
#endif
