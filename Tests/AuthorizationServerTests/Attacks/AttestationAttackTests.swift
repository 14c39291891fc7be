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
    "Attacks on client attestations: draft-ietf-oauth-attestation-based-client-auth-11, 233 to 239",
    .overSocketsOnEveryStore
)
struct AttestationAttackTests: AttestationAttacks {
    @Test(arguments: AttestedEndpoint.all)
    func `attack 233, attestation_stripped`(endpoint: AttestedEndpoint) async throws {
        let server = try await AttestedApp.server()
        try await attack(endpoint, server) { app, parameters in
            let bare = app.client(sending: [:])
            AuthorizationServerTests.expect(try await bare.post(endpoint.path, parameters), isError: Self.invalid)
            for (name, value) in [("client_secret", "x"), ("client_assertion", "e30.e30.AA")] {
                var form = parameters.adding(name, value)
                if name == "client_assertion" {
                    form.append("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
                }
                let alone = try await bare.post(endpoint.path, form)
                AuthorizationServerTests.expect(alone, isError: Self.invalid)
                let both = try await app.client().post(endpoint.path, form)
                AuthorizationServerTests.expect(both, isError: "invalid_request")
            }
            let basic = try await app.client().post(
                endpoint.path,
                parameters,
                fields: ConfidentialClient.basic(app.clientID, "x")
            )
            AuthorizationServerTests.expect(basic, isError: "invalid_request")
            // A client of another method does not become an attested one.
            let other = try AttestedApp(server, "signed")
            let response = try await other.client().post(endpoint.path, parameters.with("client_id", "signed"))
            AuthorizationServerTests.expect(response, isError: "invalid_client")
        }
    }

    @Test func `attack 233, an attestation gives no rights that only a backend has`() async throws {
        let server = try await AttestedApp.server()
        // As an operator could have registered it before the rules refused that.
        var client = try AttestedApp.registration("old")
        client.grantTypes = [.clientCredentials, .tokenExchange]
        client.introspectionAudiences = [ServerUnderTest.audience]
        _ = try await server.storage.add(client)
        let token = try await AttestedApp(server).client().signIn().string("access_token")
        for clientID in ["notes", "old"] {
            let attested = try await AttestedApp(server, clientID).client()
            for grantType in ["client_credentials", "urn:ietf:params:oauth:grant-type:token-exchange"] {
                let form: FormParameters = [
                    "client_id": clientID, "grant_type": grantType, "subject_token": token,
                    "subject_token_type": ExchangeClient.accessToken,
                ]
                AuthorizationServerTests.expect(
                    try await attested.post("/token", form),
                    isError: "unauthorized_client"
                )
            }
            let question: FormParameters = ["client_id": clientID, "token": token]
            AuthorizationServerTests.expect(
                try await attested.post("/introspect", question),
                isError: "unauthorized_client"
            )
        }
    }

    @Test(arguments: AttestedEndpoint.all)
    func `attack 234, attestation_alg`(endpoint: AttestedEndpoint) async throws {
        let server = try await AttestedApp.server()
        try await attack(endpoint, server) { app, parameters in
            for text in try await Self.unsigned(app) {
                try await expect(text, at: endpoint, app, parameters)
            }
        }
    }

    /// Attestations that nobody signed, or by an algorithm that is not allowed.
    private static func unsigned(_ app: AttestedApp) async throws -> [String] {
        let good = try await app.attestation()
        let parts = good.split(separator: ".").map(String.init)
        let bytes = try CompactJWS(parsing: good).payload
        let headers = [
            #"{"typ":"oauth-client-attestation+jwt","kid":"attester-1"}"#,
            #"{"typ":"oauth-client-attestation+jwt","kid":"attester-1","alg":"none"}"#,
            #"{"typ":"oauth-client-attestation+jwt","kid":"attester-1","alg":"None"}"#,
            #"{"typ":"oauth-client-attestation+jwt","kid":"attester-1","alg":"RS256"}"#,
        ].map { Base64URL.encode(Array($0.utf8)) }
        let secret = JSONValue.object(app.attester.key.publicKey.named("attester-1", algorithm: nil).json).encoded()
        let typed: JSONObject = ["typ": "oauth-client-attestation+jwt", "kid": "attester-1"]
        let mac = try ClientSecretKey(secret: secret, algorithm: .hs256).authenticate(header: typed, payload: bytes)
        let other = FakeAttester(name: "other", key: try SoftwareSigningKey(generating: .es384))
        let claims = FakeAttester.claims(of: app.key.publicKey, for: app.clientID, at: app.server.clock.now())
        let flipped = (parts[2].first == "A" ? "B" : "A") + parts[2].dropFirst()
        let zero = Base64URL.encode([UInt8](repeating: 0, count: 64))
        return headers.flatMap { ["\($0).\(parts[1]).", "\($0).\(parts[1]).\(parts[2])"] } + [
            mac, try await other.sign(claims), "\(parts[0]).\(parts[1]).\(flipped)", "\(parts[0]).\(parts[1]).\(zero)",
            "\(parts[0]).\(parts[1]).\(parts[2].dropLast(2))", "\(parts[0]).\(parts[1]).",
            try await app.attestation(header: { ($0["crit"], $0["x"]) = (["x"], 1) }),
            try await app.attestation(header: { ($0["crit"], $0["b64"]) = (["b64"], false) }),
        ]
    }

    @Test(arguments: AttestedEndpoint.all)
    func `attack 235, attestation_typ_confused`(endpoint: AttestedEndpoint) async throws {
        let server = try await AttestedApp.server()
        try await attack(endpoint, server) { app, parameters in
            for type in [nil, "JWT", "oauth-client-attestation-pop+jwt", "dpop+jwt", "at+jwt"] {
                let text = try await app.attestation(header: { $0["typ"] = type.map { .string($0) } })
                try await expect(text, at: endpoint, app, parameters)
            }
            let client = try await app.client()
            try await client.fetchNonce()
            let proof = try #require(try await client.proof(for: endpoint.path))
            try await expect(proof, at: endpoint, app, parameters)
            let token = try await client.signIn().string("access_token")
            try await expect(token, at: endpoint, app, parameters)
            // And an attestation in the place of something else.
            let attestation = try await app.attestation()
            let asProof = await server.post(
                endpoint.path,
                parameters,
                fields: [AttestedApp.field: attestation, "DPoP": attestation]
            )
            AuthorizationServerTests.expect(asProof, isError: "invalid_dpop_proof")
            let form = ConfidentialClient.form(assertion: attestation)
            let asAssertion = await server.post(endpoint.path, form.adding("grant_type", "refresh_token"))
            AuthorizationServerTests.expect(asAssertion, isError: Self.invalid)
        }
    }

    @Test(arguments: AttestedEndpoint.all)
    func `attack 236, attestation_expired, too_old, from_future`(endpoint: AttestedEndpoint) async throws {
        let server = try await AttestedApp.server()
        let day: Int64 = 86_400
        try await attack(endpoint, server) { app, parameters in
            let stale = [
                try await app.attestation { $0["exp"] = app.time(-61) },
                try await app.attestation { $0["exp"] = -1 },
                try await app.attestation { ($0["iat"], $0["exp"]) = (app.time(-day - 61), app.time(365 * day)) },
            ]
            for text in stale {
                try await expect(text, at: endpoint, app, parameters, isError: "use_fresh_attestation")
            }
            let invalid = [
                try await app.attestation { $0["exp"] = nil }, try await app.attestation { $0["exp"] = "soon" },
                try await app.attestation { $0["exp"] = .number(JSONNumber(9_007_199_254_740_994)) },
                try await app.attestation { $0["iat"] = nil }, try await app.attestation { $0["iat"] = app.time(61) },
                try await app.attestation { $0["nbf"] = app.time(61) },
            ]
            for text in invalid { try await expect(text, at: endpoint, app, parameters) }
        }
    }

    @Test(
        arguments: [
            ("exp 59 seconds ago", -59, 0), ("issued 60 seconds ahead", 3600, 60), ("issued a day ago", 3600, -86_400),
        ] as [(String, Int64, Int64)]
    )
    func `a minute of leeway is accepted`(what: String, expiry: Int64, issue: Int64) async throws {
        let app = try AttestedApp(try await AttestedApp.server())
        let text = try await app.attestation { ($0["exp"], $0["iat"]) = (app.time(expiry), app.time(issue)) }
        let client = app.client(sending: [AttestedApp.field: text])
        #expect(try await client.push(client.attempt()).status == 201, "\(what)")
    }

    @Test(arguments: AttestedEndpoint.all)
    func `attack 237, attester_unknown`(endpoint: AttestedEndpoint) async throws {
        let stranger = FakeAttester(name: "stranger", key: try TestKey.p256(21))
        let second = FakeAttester(name: "second", key: try TestKey.p256(22), keyID: "second-1")
        let server = try await AttestedApp.server(
            attesters: [FakeAttester.ofTheApps().trusted(for: ["notes"]), second.trusted(for: ["shop"])]
        )
        try await attack(endpoint, server) { app, parameters in
            let claims = FakeAttester.claims(of: app.key.publicKey, for: app.clientID, at: server.clock.now())
            let key = JSONValue.object(stranger.key.publicKey.named("attester-1", algorithm: nil).json)
            let forged = [
                try await stranger.sign(claims), try await stranger.sign(claims) { $0["kid"] = "stranger-1" },
                try await stranger.sign(claims) { $0["kid"] = nil },
                try await stranger.sign(claims) { $0["jwk"] = key },
                try await stranger.sign(claims) { ($0["kid"], $0["jwk"]) = (nil, key) },
                try await stranger.sign(claims) { $0["jku"] = "http://127.0.0.1:9/keys" },
                try await stranger.sign(claims) { $0["x5u"] = "http://127.0.0.1:9/certificate" },
                try await stranger.sign(claims) { $0["x5c"] = ["AA"] },
                // The attester of another app; and the right one, which no longer says which key.
                try await second.sign(claims), try await app.attester.sign(claims) { $0["kid"] = nil },
            ]
            for text in forged { try await expect(text, at: endpoint, app, parameters) }
        }
    }

    @Test func `attack 237, an attester that an operator removed attests nobody`() async throws {
        let storage = try await ServerStage.storage()
        let app = try AttestedApp(try await AttestedApp.server(storage: storage))
        let token = try await app.client().signIn().string("refresh_token")
        let second = FakeAttester(name: "second", key: try TestKey.p256(22))
        let server = try await AttestedApp.server(storage: storage, attesters: [second.trusted(for: ["shop"])])
        let later = try await AttestedApp(server).client()
        AuthorizationServerTests.expect(try await later.refresh(token), isError: Self.invalid)
        #expect(try await app.client().refresh(token).status == 200, "nothing was consumed")
    }

    @Test(arguments: AttestedEndpoint.all)
    func `attack 238, attestation_other_client`(endpoint: AttestedEndpoint) async throws {
        let server = try await AttestedApp.server()
        try await attack(endpoint, server) { app, parameters in
            try await expect(try await app.attestation { $0["sub"] = "shop" }, at: endpoint, app, parameters)
            for subject in [nil, "", ["notes"]] as [JSONValue?] {
                let text = try await app.attestation { $0["sub"] = subject }
                try await expect(text, at: endpoint, app, parameters)
                try await expect(text, at: endpoint, app, parameters.with("client_id", nil))
            }
            let unregistered = try await app.attestation { $0["sub"] = "unregistered" }
            for clientID in ["unregistered", nil] {
                let form = parameters.with("client_id", clientID)
                try await expect(unregistered, at: endpoint, app, form, isError: "invalid_client")
            }
        }
    }

    @Test(arguments: AttestedEndpoint.all)
    func `attack 239, attested_key_is_not_the_proof_key`(endpoint: AttestedEndpoint) async throws {
        let server = try await AttestedApp.server()
        try await attack(endpoint, server) { app, parameters in
            let good = try await app.attestation()
            try await expect(good, at: endpoint, app, parameters, key: try TestKey.p256(3))
            let key = app.key.publicKey.json
            var (secret, moved) = (key, key)
            (secret["d"], moved["y"]) = (.string(Base64URL.encode([UInt8](repeating: 2, count: 32))), key["x"])
            let confirmations: [JSONValue?] = [
                nil, .object(key), ["jkt": .string(app.key.publicKey.thumbprint.description)],
                ["jwk": .object(secret)], ["jwk": ["kty": "oct", "k": "AAAA"]], ["jwk": .object(moved)], ["jwk": "x"],
            ]
            for confirmation in confirmations {
                try await expect(
                    try await app.attestation { $0["cnf"] = confirmation },
                    at: endpoint,
                    app,
                    parameters
                )
            }
            // Without a proof nobody shows the key.
            let silent = await server.post(endpoint.path, parameters, fields: [AttestedApp.field: good])
            AuthorizationServerTests.expect(silent, isError: "invalid_dpop_proof")
        }
    }

    @Test func `the same key with other members in another order is accepted`() async throws {
        let app = try AttestedApp(try await AttestedApp.server())
        var key: JSONObject = ["use": "sig", "kid": "mine", "alg": "ES256"]
        for member in app.key.publicKey.json.members.reversed() { key[member.name] = member.value }
        let text = try await app.attestation(
            { ($0["cnf"], $0["aud"], $0["iss"]) = (["jwk": .object(key)], "https://other.example", "x") },
            header: { $0["x"] = 1 }
        )
        let client = app.client(sending: [AttestedApp.field: text])
        #expect(try await client.push(client.attempt()).status == 201)
    }
}
