// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import JOSE
import StrictJSON
import TestSupport
import Testing

@Suite("Gateway: from keys to introspection and back, on SIGHUP", .timeLimit(.minutes(2)))
struct GatewayReloadTests {
    private func introspection(_ stage: GatewayStage) -> String {
        """
        "introspection": { "endpoint": "\(stage.issuer.address)/introspect", "clientID": "api",
                           "clientSecretFile": "secret" },
        """
    }

    private func active(_ stage: GatewayStage, issuer: String) -> JSONObject {
        [
            "active": true, "iss": .string(issuer), "sub": "alice", "client_id": "app",
            "aud": .string(GatewayStage.api), "scope": "notes:read",
            "cnf": ["jkt": .string(stage.issuer.clientKey.publicKey.thumbprint.description)],
        ]
    }

    /// Sends SIGHUP, and waits until the file was read for this time.
    private func reload(_ process: KeyboundProcess, time: Int) async throws {
        process.hangUp()
        func count() -> Int { process.errorsSoFar.split(separator: "the configuration was read again").count - 1 }
        for _ in 0..<3000 where count() < time { try await Task.sleep(for: .milliseconds(20)) }
        try #require(count() == time, "\(process.errorsSoFar)")
    }

    private func readiness(of stage: GatewayStage, becomes status: Int) async throws -> RawResponse {
        var answer = try await stage.get("/ready", port: stage.metrics)
        for _ in 0..<1200 where answer.status != status {
            try await Task.sleep(for: .milliseconds(50))
            answer = try await stage.get("/ready", port: stage.metrics)
        }
        return answer
    }

    @Test func `with introspection, another issuer is used at once`() async throws {
        let stage = try GatewayStage()
        try stage.directory.write("secret\n", to: "secret")
        try stage.write(more: introspection(stage))
        stage.issuer.introspects(as: active(stage, issuer: stage.issuer.address))
        let process = try await stage.start()
        let nonce = try await stage.nonce()
        #expect(try await stage.ask(token: "first", nonce: nonce).status == 200)
        let other = "http://127.0.0.1:1"
        stage.issuer.introspects(as: active(stage, issuer: other))
        #expect(try await stage.ask(token: "second", nonce: nonce).status == 401)
        let text = try stage.directory.text(of: "gateway.json")
        try stage.directory.write(
            text.replacing("\"issuer\": \"\(stage.issuer.address)\"", with: "\"issuer\": \"\(other)\""),
            to: "gateway.json"
        )
        try await reload(process, time: 1)
        #expect(try await stage.ask(token: "third", nonce: nonce).status == 200)
        stage.issuer.introspects(as: active(stage, issuer: stage.issuer.address))
        #expect(try await stage.ask(token: "fourth", nonce: nonce).status == 401)
        #expect(!process.errorsSoFar.contains("only after a restart"), "\(process.errorsSoFar)")
        _ = await stage.stop(process)
    }

    @Test func `readiness watches the keys as long as tokens are verified with them`() async throws {
        let stage = try GatewayStage()
        try stage.directory.write("secret\n", to: "secret")
        let noKeys = "\"jwksURI\": \"http://127.0.0.1:1/jwks\", "
        try stage.write(more: introspection(stage) + noKeys)
        let process = try await stage.start()
        #expect(try await stage.becomesReady())
        try stage.write(more: noKeys)
        try await reload(process, time: 1)
        let waiting = try await readiness(of: stage, becomes: 503)
        #expect(waiting.status == 503 && waiting.text.contains("the keys of the issuer"), "\(waiting.text)")
        try stage.write(more: introspection(stage) + noKeys)
        try await reload(process, time: 2)
        #expect(try await readiness(of: stage, becomes: 200).status == 200)
        _ = await stage.stop(process)
    }
}
#endif
