// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import JOSE
import StrictJSON
import TestSupport
import Testing

@Suite("Gateway: claims and scopes in rules, with the command")
struct GatewayClaimTests {
    @Test(.timeLimit(.minutes(2)))
    func `rules demand claims and one of several scopes, and fields hold arrays and nested claims`() async throws {
        let stage = try GatewayStage()
        try stage.write(
            rules: #"""
                { "path": "/admin", "claims": { "/realm_access/roles": ["admin", "staff"], "tenant": ["acme"] } },
                { "path": "/notes", "scope": "payments", "anyScope": ["notes:admin", "notes:read"] },
                { "path": "/files", "anyScope": ["files:read", "files:admin"] }
                """#
        )
        let text = try stage.directory.text(of: "gateway.json")
        let fields = #""claims": { "X-Keybound-Roles": "/realm_access/roles" }, "rules":"#
        try stage.directory.write(text.replacing("\"rules\":", with: fields), to: "gateway.json")
        let process = try await stage.start()
        let nonce = try await stage.nonce()
        let token = try await stage.issuer.token(for: GatewayStage.api) { claims in
            claims["realm_access"] = ["roles": ["dev", "staff"]]
            claims["tenant"] = "acme"
        }
        let admin = try await stage.ask("/admin", token: token, nonce: nonce)
        #expect(admin.status == 200)
        #expect(admin.field("X-Keybound-Roles") == "dev,staff")
        // The claims are missing: no scope mends that, so none is named.
        let stranger = try await stage.ask("/admin", nonce: nonce)
        #expect(stranger.status == 403)
        let challenge = try #require(stranger.field("WWW-Authenticate"))
        #expect(challenge.contains("error=\"insufficient_scope\"") && !challenge.contains("scope=\""))
        #expect(try await stage.ask("/notes", nonce: nonce).status == 200)
        let files = try await stage.ask("/files", nonce: nonce)
        #expect(files.status == 403)
        #expect(files.field("WWW-Authenticate")?.contains("scope=\"files:read\"") ?? false)
        let labels = #"keybound_gateway_decisions_total{api="https://api.example.com",decision="refuse",reason="#
        #expect(try await stage.metric(labels + #""claims"}"#) == "1")
        #expect(try await stage.metric(labels + #""scope"}"#) == "1")
        let metadata = try await stage.get(
            "/.well-known/oauth-protected-resource",
            port: stage.port,
            ["X-Forwarded-Host: api.example.com"]
        )
        for scope in ["files:admin", "files:read", "notes:admin", "notes:read", "payments"] {
            #expect(metadata.text.contains("\"\(scope)\""), "\(metadata.text)")
        }
        let result = await stage.stop(process)
        #expect(result.errors.contains("/realm_access/roles = admin or staff"), "\(result.errors)")
    }

    @Test func `a field of a claim that leads nowhere is an error`() async throws {
        let stage = try GatewayStage()
        try stage.write()
        let text = try stage.directory.text(of: "gateway.json")
        let fields = #""claims": { "X-Keybound-Roles": "/realm_access//roles" }, "rules":"#
        try stage.directory.write(text.replacing("\"rules\":", with: fields), to: "gateway.json")
        let result = try await KeyboundProcess.run(
            ["gateway", "--config", "gateway.json", "--check"],
            in: stage.directory
        )
        #expect(result.status == 2)
        let message = "the field X-Keybound-Roles cannot be set: the claim '/realm_access//roles' has an empty name"
        #expect(result.errors.contains(message), "\(result.errors)")
        await stage.issuer.stop()
    }
}
#endif
