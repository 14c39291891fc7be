// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import ServerStage
import ServerStorage
import StrictJSON
import TestSupport
import Testing

@Suite(
    "Attacks on the proofs of attested clients: draft-ietf-oauth-attestation-based-client-auth-11, 242 to 244",
    .overSocketsOnEveryStore
)
struct AttestedProofAttackTests: AttestationAttacks {
    @Test(arguments: AttestedEndpoint.all)
    func `attack 242, attestation_challenge`(endpoint: AttestedEndpoint) async throws {
        let server = try await AttestedApp.server()
        let early = try await AttestedApp(server).client()
        try await early.fetchNonce()
        let old = early.nonce ?? "AAAB"
        server.clock.advance(by: .seconds(301))
        try await attack(endpoint, server) { app, parameters in
            let client = try await app.client()
            let attestation = try await app.attestation()
            for nonce in [nil, old, "AAAA"] as [String?] {
                let proof = try await client.proof(for: endpoint.path) {
                    $0["nonce"] = nonce.map { .string($0) }
                    $0["challenge"] = .string(old)
                }
                let fields: HTTPFields = [AttestedApp.field: attestation, "DPoP": try #require(proof)]
                let response = await server.post(endpoint.path, parameters, fields: fields)
                AuthorizationServerTests.expect(response, isError: "use_dpop_nonce")
                #expect(response.fields["DPoP-Nonce"] != nil)
            }
            // What the challenge endpoint gives is a nonce.
            let challenge = await server.post("/challenge", [:])
            #expect(challenge.status == 200 && challenge.fields["Cache-Control"] == "no-store")
            #expect(try challenge.string("attestation_challenge") == challenge.fields["DPoP-Nonce"])
            client.nonce = try challenge.string("attestation_challenge")
            let revoked = try await client.postOnce("/revoke", ["client_id": app.clientID, "token": "x"])
            #expect(revoked.status == 200, "\(revoked.text)")
        }
        #expect(await server.get("/challenge").status == 405)
        // Otherwise no nonce was too old.
        #expect(early.nonce != nil)
    }

    @Test(arguments: AttestedEndpoint.all)
    func `attack 243, attestation_pop_other_key, both_modes`(endpoint: AttestedEndpoint) async throws {
        let server = try await AttestedApp.server()
        try await attack(endpoint, server) { app, parameters in
            let good = try await app.attestation()
            let pop = try await app.attestation(header: { $0["typ"] = "oauth-client-attestation-pop+jwt" })
            let faults: [HTTPFields] = [
                [AttestedApp.field: good, "OAuth-Client-Attestation-PoP": pop],
                [AttestedApp.field: good, "OAuth-Client-Attestation-PoP": ""],
                [AttestedApp.field: "\(good),\(good)"], [AttestedApp.field: "\(good), \(good)"],
                [AttestedApp.field: ""],
                [AttestedApp.field: String(repeating: "A", count: 8193)],
                ["OAuth-Client-Attestation-PoP": pop],
            ]
            for fields in faults {
                let response = try await app.client(sending: fields).post(endpoint.path, parameters)
                AuthorizationServerTests.expect(response, isError: Self.invalid)
            }
            var twice: HTTPFields = [AttestedApp.field: good]
            twice.append(name: "oauth-client-attestation", value: good)
            let response = try await app.client(sending: twice).post(endpoint.path, parameters)
            AuthorizationServerTests.expect(response, isError: Self.invalid)
        }
        // A public client has no use for the field either.
        let bystander = try FakeClient(server)
        let pushed = try await bystander.post(
            "/par",
            bystander.attempt().parameters,
            fields: ["OAuth-Client-Attestation-PoP": "x"]
        )
        AuthorizationServerTests.expect(pushed, isError: Self.invalid)
    }

    @Test func `the name of the field has no case, and client_id may be left out`() async throws {
        let app = try AttestedApp(try await AttestedApp.server())
        let client = app.client(sending: ["oauth-client-attestation": try await app.attestation()])
        let response = try await client.post("/par", client.attempt().parameters.with("client_id", nil))
        #expect(response.status == 201, "\(response.text)")
    }

    @Test func `attack 244, refresh_without_attestation`() async throws {
        let server = try await AttestedApp.server()
        try await attack(.refresh, server) { app, parameters in
            let bare = app.client(sending: [:])
            AuthorizationServerTests.expect(try await bare.post("/token", parameters), isError: Self.invalid)
            // Another installation, whole; and its attestation with the stolen key, and the other way round.
            let other = try AttestedApp(server, key: 3)
            let stolen = try await other.client().post("/token", parameters)
            AuthorizationServerTests.expect(stolen, isError: "invalid_grant")
            try await expect(try await other.attestation(), at: .refresh, app, parameters)
            try await expect(try await app.attestation(), at: .refresh, app, parameters, key: other.key)
            let expired = try await app.attestation { $0["exp"] = app.time(-61) }
            try await expect(expired, at: .refresh, app, parameters, isError: "use_fresh_attestation")
        }
        try await attack(.code, server) { app, parameters in
            let bare = app.client(sending: [:])
            AuthorizationServerTests.expect(try await bare.post("/token", parameters), isError: Self.invalid)
            let other = try await AttestedApp(server, key: 3).client().post("/token", parameters)
            AuthorizationServerTests.expect(other, isError: "invalid_grant")
        }
    }
}
