// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import DPoP
import HTTPMessage
import JOSE
import OAuthCore
import ServerStorage
import StrictJSON
import TestSupport
import Testing

@Suite("Requests of attested clients: draft-ietf-oauth-attestation-based-client-auth-11")
struct AttestedRequestTests {
    @Test func `the metadata says what there is, and nothing without an attester`() async throws {
        let path = "/.well-known/oauth-authorization-server"
        let with = await (try AttestedApp.server()).get(path).json
        let methods = with["token_endpoint_auth_methods_supported"]?.arrayValue ?? []
        #expect(methods.contains("attest_jwt_client_auth_dpop"))
        #expect(with["challenge_endpoint"] == .string(ServerUnderTest.issuer + "/challenge"))
        #expect(with["client_attestation_signing_alg_values_supported"] == ["ES256"])
        #expect(
            with["client_attestation_pop_signing_alg_values_supported"] == with["dpop_signing_alg_values_supported"]
        )
        let asking = with["introspection_endpoint_auth_methods_supported"]?.arrayValue ?? []
        #expect(!asking.isEmpty && !asking.contains("attest_jwt_client_auth_dpop"))
        let bare = try await AttestedApp.server(attesters: [])
        let without = await bare.get(path).json
        #expect(without["challenge_endpoint"] == nil)
        #expect(without["client_attestation_signing_alg_values_supported"] == nil)
        let others = without["token_endpoint_auth_methods_supported"]?.arrayValue ?? []
        #expect(!others.isEmpty && !others.contains("attest_jwt_client_auth_dpop"))
        #expect(await bare.post("/challenge", [:]).status == 404)
    }

    @Test func `each installation has a limit of its own`() async throws {
        let server = try await AttestedApp.server {
            $0.rateLimits.publicClientAuthorizationRequest = RateLimit(2, per: .seconds(60))
        }
        let (first, second) = (try await AttestedApp(server).client(), try await AttestedApp(server, key: 3).client())
        // One asks for a nonce, and is counted too.
        #expect(try await first.push(first.attempt()).status == 201)
        let refused = try await first.push(first.attempt())
        #expect(refused.status == 429 && refused.fields["Retry-After"] != nil)
        #expect(try await second.push(second.attempt()).status == 201, "another installation is not affected")
    }

    @Test func `the audit log says why, and who attested`() async throws {
        let events = RecordedEvents()
        let server = try await AttestedApp.server(audit: events)
        let app = try AttestedApp(server)
        let stranger = FakeAttester(name: "stranger", key: try TestKey.p256(21))
        let claims = FakeAttester.claims(of: app.key.publicKey, for: "notes", at: server.clock.now())
        let other = try TestKey.p256(3)
        let faults: [(String?, SoftwareSigningKey?, String)] = [
            (nil, nil, "missing"), ("x", nil, "malformed"), (try await stranger.sign(claims), nil, "signature of apps"),
            (try await app.attester.sign(claims) { $0["kid"] = "other" }, nil, "attester"),
            (try await app.attestation { $0["sub"] = "shop" }, nil, "client of apps"),
            (try await app.attestation { $0["exp"] = app.time(-61) }, nil, "expired of apps"),
            (try await app.attestation { $0["iat"] = app.time(-86_461) }, nil, "age of apps"),
            (try await app.attestation { $0["cnf"] = nil }, nil, "key of apps"),
            (try await app.attestation(), other, "key of apps"),
        ]
        for (attestation, key, reason) in faults {
            let fields: HTTPFields = attestation.map { [AttestedApp.field: $0] } ?? [:]
            let client = app.client(sending: fields, key: key)
            let response = try await client.push(client.attempt())
            #expect(response.status == 400, "\(reason): \(response.text)")
            let event = events.all.last { $0.kind == .attestationRejected }
            #expect(event?.detail == reason)
        }
        #expect(events.all.count { $0.kind == .attestationRejected } == faults.count)
    }

    @Test func `tokens are bound to the attested key, though the client authenticates`() async throws {
        let app = try AttestedApp(try await AttestedApp.server { $0.requireDPoP = false })
        let tokens = try await app.client().signIn()
        let claims = try CompactJWS(parsing: tokens.string("access_token")).payloadObject()
        #expect(claims["cnf"]?.objectValue?["jkt"]?.stringValue == app.key.publicKey.thumbprint.description)
    }

    @Test func `a code is bound to a key, also if the request is not pushed`() async throws {
        let server = try await AttestedApp.server { $0.requireBoundAuthorizationCodes = false }
        let client = try await AttestedApp(server).client()
        let browser = try await server.signedInBrowser()
        var attempt = client.attempt()
        #expect(try await browser.get(client.directTarget(attempt)).callback()["error"] == "invalid_request")
        attempt.parameters = attempt.parameters.with("dpop_jkt", client.thumbprint)
        #expect(await browser.get(client.directTarget(attempt)).status == 200)
    }

    @Test func `nobody registers an attested client but an operator`() async throws {
        let server = try await AttestedApp.server { $0.unregisteredClients.isRegistrationOpen = true }
        let metadata: JSONObject = [
            "redirect_uris": ["com.example.app:/callback"], "token_endpoint_auth_method": "attest_jwt_client_auth_dpop",
        ]
        let response = await server.send(
            HTTPRequest(
                method: "POST",
                target: "/register",
                fields: ["Content-Type": "application/json"],
                body: JSONValue.object(metadata).encoded()
            )
        )
        expect(response, isError: "invalid_client_metadata")
    }

    @Test func `an operator registers one without rights that only a backend has, and bound to its key`() async throws {
        let administration = ServerAdministration(storage: MemoryAuthorizationStorage())
        let changes: [(inout RegisteredClient) -> Void] = [
            { $0.grantTypes = [.clientCredentials] }, { $0.grantTypes.append(.tokenExchange) },
            { $0.introspectionAudiences = [ServerUnderTest.audience] }, { $0.dpopBoundAccessTokens = false },
            { $0.noncePolicy = .off }, { $0.noncePolicy = .onSkew },
        ]
        for (index, change) in changes.enumerated() {
            var client = try AttestedApp.registration("notes-\(index)")
            change(&client)
            await #expect(throws: AuthorizationServerError.self) { try await administration.addClient(client) }
        }
        try await administration.addClient(try AttestedApp.registration("notes"))
    }

    @Test func `an attester that cannot attest anything is rejected with what to do`() throws {
        let key = try TestKey.p256(20).publicKey
        let good = TrustedAttester(name: "apps", keys: JWKSet([key.named("a", algorithm: nil)]), clients: ["notes"])
        func reason(_ change: (inout TrustedAttester) -> Void) throws -> String? {
            var configuration = ServerConfiguration(
                issuer: try URI(parsing: ServerUnderTest.issuer),
                audience: ServerUnderTest.audience,
                scopes: []
            )
            var attester = good
            change(&attester)
            configuration.attesters = [attester]
            do {
                try configuration.validate()
                return nil
            } catch {
                return error.reason
            }
        }
        #expect(try reason { _ in } == nil)
        #expect(try reason { $0.name = "" }?.contains("name") == true)
        #expect(try reason { $0.keys = JWKSet([]) }?.contains("1 to 16 public keys") == true)
        #expect(try reason { $0.keys = JWKSet([key]) }?.contains("kid") == true)
        let twice = [key.named("a", algorithm: nil), key.named("a", algorithm: nil)]
        #expect(try reason { $0.keys = JWKSet(twice) }?.contains("kid") == true)
        #expect(try reason { $0.keys = JWKSet([key.named("a", algorithm: .es512)]) }?.contains("ES256") == true)
        #expect(try reason { $0.clients = [] }?.contains("client_id") == true)
        #expect(try reason { $0.maximumAge = .seconds(59) }?.contains("maximumAge") == true)
        #expect(try reason { $0.maximumAge = .seconds(7 * 86_400 + 1) }?.contains("maximumAge") == true)
    }
}
