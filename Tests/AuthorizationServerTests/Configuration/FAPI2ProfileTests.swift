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

@Suite("FAPI 2.0 Security Profile", .overSocketsOnEveryStore)
struct FAPI2ProfileTests {
    private static func server(
        idTokenKey: (any SigningKey)? = nil,
        _ change: (inout ServerConfiguration) -> Void = { _ in }
    ) async throws -> ServerUnderTest {
        try await .inMemory(
            clients: [
                try ConfidentialClient.registration("basic", .clientSecretBasic),
                try ConfidentialClient.registration("post", .clientSecretPost),
                try ConfidentialClient.registration("signed", .privateKeyJWT) {
                    $0.scope = try Scope(parsing: "api:read api:write openid")
                },
            ],
            idTokenKey: idTokenKey
        ) { configuration in
            configuration.adopt(.fapi2)
            change(&configuration)
        }
    }

    /// A person signs in to the client that signs assertions.
    private func signIn(
        _ client: ConfidentialClient,
        _ prover: FakeClient,
        scope: String = "api:read"
    ) async throws -> HTTPResponse {
        var attempt = prover.attempt()
        attempt.parameters = attempt.parameters.with("scope", scope)
        let pushed = try await post(client, prover, "/par", attempt.parameters)
        try #require(pushed.status == 201, "\(pushed.text)")
        let target: FormParameters = ["client_id": "signed", "request_uri": try pushed.string("request_uri")]
        let browser = try await client.server.signedInBrowser()
        let page = await browser.get("/authorize?" + target.encoded())
        let code = try #require(try await browser.decide("allow", on: page).callback()["code"])
        return try await post(client, prover, "/token", prover.exchange(code, attempt))
    }

    /// Posts with a new assertion, and once more when the server wants a nonce.
    private func post(
        _ client: ConfidentialClient,
        _ prover: FakeClient,
        _ path: String,
        _ parameters: FormParameters
    ) async throws -> HTTPResponse {
        for _ in 0..<2 {
            var form = parameters
            for value in try await client.signed().with("client_id", nil).all { form.append(value.name, value.value) }
            let response = try await prover.postOnce(path, form)
            if response.error != "use_dpop_nonce" { return response }
        }
        throw TestFailure()
    }

    private struct TestFailure: Error {}

    private func prover(_ server: ServerUnderTest) throws -> FakeClient {
        FakeClient(server, clientID: "signed", key: try TestKey.p256(2))
    }

    @Test func `a client that signs assertions signs in, and its refresh token stays the same`() async throws {
        let server = try await Self.server()
        let (client, prover) = (try ConfidentialClient(server, "signed"), try prover(server))
        let tokens = try await signIn(client, prover)
        try #require(tokens.status == 200, "\(tokens.text)")
        let refreshToken = try tokens.string("refresh_token")
        for _ in 0..<3 {
            server.clock.advance(by: .seconds(20 * 86_400))
            let next = try await post(client, prover, "/token", prover.refreshing(refreshToken))
            #expect(next.status == 200, "\(next.text)")
            #expect(try next.string("refresh_token") == refreshToken)
            #expect(try next.string("access_token") != tokens.string("access_token"))
            #expect(next.json["token_type"] == "DPoP")
        }
        // Used or not: thirty days after the last use it has ended.
        server.clock.advance(by: .seconds(30 * 86_400))
        expect(try await post(client, prover, "/token", prover.refreshing(refreshToken)), isError: "invalid_grant")
    }

    @Test func `a refresh token that stays the same ends with its grant`() async throws {
        let server = try await Self.server { $0.lifetimes.grant = .seconds(3600) }
        let (client, prover) = (try ConfidentialClient(server, "signed"), try prover(server))
        let end = server.clock.now() + .seconds(3600)
        let refreshToken = try await signIn(client, prover).string("refresh_token")
        server.clock.advance(by: .seconds(3590))
        let last = try await post(client, prover, "/token", prover.refreshing(refreshToken))
        #expect(last.json["expires_in"] == 10, "\(last.text)")
        let secret = try #require(GrantSecret(refreshToken, as: .refreshToken))
        let stored = try await server.storage.liveRefreshToken(secret, at: server.clock.now())
        #expect(stored?.expiresAt == end)
        server.clock.set(to: end)
        expect(try await post(client, prover, "/token", prover.refreshing(refreshToken)), isError: "invalid_grant")
    }

    @Test func `attack 60, refresh_bound_bearer_reissue, of a refresh token that is kept`() async throws {
        let server = try await Self.server()
        let (client, prover) = (try ConfidentialClient(server, "signed"), try prover(server))
        let refreshToken = try await signIn(client, prover).string("refresh_token")
        for _ in 0..<2 {
            let keyless = prover.with(key: nil)
            let rejected = try await post(client, keyless, "/token", keyless.refreshing(refreshToken))
            expect(rejected, isError: "invalid_dpop_proof")
            let next = try await post(client, prover, "/token", prover.refreshing(refreshToken))
            #expect(next.json["token_type"] == "DPoP", "\(next.text)")
            let claims = try CompactJWS(parsing: try next.string("access_token")).payloadObject()
            #expect(claims["cnf"] == ["jkt": .string(prover.thumbprint)])
        }
    }

    @Test func `a refresh token that was revoked is not kept`() async throws {
        let server = try await Self.server()
        let (client, prover) = (try ConfidentialClient(server, "signed"), try prover(server))
        let refreshToken = try await signIn(client, prover).string("refresh_token")
        let revocation = try await client.signed().adding("token", refreshToken)
        #expect(await server.post("/revoke", revocation).status == 200)
        expect(try await post(client, prover, "/token", prover.refreshing(refreshToken)), isError: "invalid_grant")
    }

    @Test func `a refresh token is bound to the client, which may change its key but not go without`() async throws {
        let server = try await Self.server()
        let (client, prover) = (try ConfidentialClient(server, "signed"), try prover(server))
        let refreshToken = try await signIn(client, prover).string("refresh_token")
        let other = prover.with(key: try TestKey.p256(3))
        let moved = try await post(client, other, "/token", other.refreshing(refreshToken))
        let claims = try CompactJWS(parsing: try moved.string("access_token")).payloadObject()
        #expect(claims["cnf"] == ["jkt": .string(other.thumbprint)])
        let none = prover.with(key: nil)
        expect(try await post(client, none, "/token", none.refreshing(refreshToken)), isError: "invalid_dpop_proof")
    }

    @Test func `attack 47, public clients and secrets are rejected at every endpoint`() async throws {
        let server = try await Self.server()
        let attempt = try FakeClient(server).attempt()
        for path in ["/par", "/token", "/revoke"] {
            let form = attempt.parameters.adding("grant_type", "refresh_token").adding("refresh_token", "kbr_x")
                .adding("token", "kbr_x")
            expect(await server.post(path, form), isError: "invalid_client")
            for (name, isInField) in [("basic", true), ("post", false)] {
                let client = try ConfidentialClient(server, name)
                var request = form.with("client_id", name)
                if !isInField { request = request.adding("client_secret", client.secret) }
                let response = await server.post(path, request, fields: isInField ? client.basic : [:])
                expect(response, isError: "invalid_client", status: isInField ? 401 : 400)
            }
        }
    }

    @Test func `attack 41, authorize_without_par_when_required`() async throws {
        let server = try await Self.server()
        let client = try prover(server)
        let page = await server.get(client.directTarget(client.attempt()))
        expect(page, isErrorPageWith: "invalid_request")
    }

    @Test func `attack 53, assertion_rs256_in_fapi`() async throws {
        let server = try await Self.server()
        let client = try ConfidentialClient(server, "signed")
        let key = try TestKey.rsa()
        let form = try await client.signed(by: key).adding("token", "x")
        expect(await server.post("/revoke", form), isError: "invalid_client")
    }

    @Test func `FAPI 2_0 section 5_3_2_1, aud_array: the aud of an assertion is a string`() async throws {
        let server = try await Self.server()
        let client = try ConfidentialClient(server, "signed")
        let array = try await client.signed { $0["aud"] = [.string(ServerUnderTest.issuer)] }
        expect(await server.post("/revoke", array.adding("token", "x")), isError: "invalid_client")
        let string = await server.post("/revoke", try await client.signed().adding("token", "x"))
        #expect(string.status == 200, "\(string.text)")
    }

    @Test func `no id_token is signed with RS256, and metadata says so`() async throws {
        let server = try await Self.server(idTokenKey: TestKey.rsa()) {
            $0.scopes.append(ScopeDescription(name: "openid"))
        }
        let metadata = await server.get("/.well-known/openid-configuration").json
        #expect(metadata["id_token_signing_alg_values_supported"] == ["ES256"])
        #expect(metadata["token_endpoint_auth_methods_supported"] == ["private_key_jwt"])
        #expect(metadata["require_pushed_authorization_requests"] == true)
        let algorithms = metadata["token_endpoint_auth_signing_alg_values_supported"]?.arrayValue ?? []
        #expect(!algorithms.contains("RS256") && algorithms.contains("PS256"))
        let client = try ConfidentialClient(server, "signed")
        let tokens = try await signIn(client, try prover(server), scope: "openid api:read")
        let header = try CompactJWS(parsing: try tokens.string("id_token")).header
        #expect(header["alg"] == "ES256")
    }
}
