// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import JOSE
import StrictJSON
import TestSupport
import Testing

@Suite("Gateway: tokens of another authorization server", .timeLimit(.minutes(2)))
struct GatewayTokenProfileTests {
    private func write(_ profile: String, to stage: GatewayStage) throws {
        try stage.write()
        let text = try stage.directory.text(of: "gateway.json")
        try stage.directory.write(
            text.replacing("\"rules\":", with: "\"tokenProfile\": \"\(profile)\", \"rules\":"),
            to: "gateway.json"
        )
    }

    @Test func `an API takes them only after its tokenProfile says so`() async throws {
        let stage = try GatewayStage()
        try stage.write()
        let process = try await stage.start()
        let nonce = try await stage.nonce()
        let token = try await stage.issuer.token(for: GatewayStage.api) { claims in
            for name in ["client_id", "scope", "iat", "jti"] { claims[name] = nil }
            claims["azp"] = "shop"
            claims["scp"] = ["notes:read"]
        }
        #expect(try await stage.ask(token: token, nonce: nonce).status == 401)
        try write("jwtWithoutExplicitType", to: stage)
        process.hangUp()
        for _ in 0..<1500 where !process.errorsSoFar.contains("read again") {
            try await Task.sleep(for: .milliseconds(20))
        }
        for _ in 0..<2 {
            let answer = try await stage.ask(token: token, nonce: nonce)
            #expect(answer.status == 200)
            #expect(answer.field("X-Keybound-Client") == "shop")
            #expect(answer.field("X-Keybound-Scope") == "notes:read")
        }
        let idToken = try await stage.issuer.token(for: GatewayStage.api) { $0["nonce"] = "n-1" }
        #expect(try await stage.ask(token: idToken, nonce: nonce).status == 401)
        _ = await stage.stop(process)
    }

    @Test func `a profile that there is not is an error, which names those that there are`() async throws {
        let stage = try GatewayStage()
        try write("jwt", to: stage)
        let result = try await KeyboundProcess.run(
            ["gateway", "--config", "gateway.json", "--check"],
            in: stage.directory
        )
        #expect(result.status == 2)
        #expect(result.errors.contains("tokenProfile"), "\(result.errors)")
        #expect(result.errors.contains("rfc9068, jwtWithoutExplicitType"), "\(result.errors)")
        await stage.issuer.stop()
    }
}
#endif
