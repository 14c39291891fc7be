// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import JOSE
import OAuthCore
import OAuthCrypto
import ServerStorage
import StrictJSON
import TestSupport
import Testing

/// A server with the scope `openid`, and clients that are registered for it.
///
/// `oidc` uses the default algorithm of the server, `oidc-es256` is registered for another one.
struct OpenIDServer: Sendable {
    static let scope = "openid profile api:read"
    static let redirectURI = "https://oidc.example.com/callback"
    static let logoutURI = "https://oidc.example.com/bye"

    let server: ServerUnderTest

    /// Another server with these clients.
    init(_ server: ServerUnderTest) {
        self.server = server
    }

    static func clients() throws -> [RegisteredClient] {
        [try client("oidc"), try client("oidc-es256", algorithm: .es256), try client("oidc-ps512", algorithm: .ps512)]
    }

    init(_ change: (inout ServerConfiguration) -> Void = { _ in }) async throws {
        server = try await .inMemory(
            clients: try Self.clients(),
            idTokenKey: try TestKey.rsa()
        ) { configuration in
            configuration.scopes += [ScopeDescription(name: "openid"), ScopeDescription(name: "profile")]
            change(&configuration)
        }
    }

    private static func client(_ clientID: String, algorithm: SignatureAlgorithm? = nil) throws -> RegisteredClient {
        var client = try ServerUnderTest.client(clientID, redirectURIs: [redirectURI], scope: scope)
        client.idTokenSignedResponseAlgorithm = algorithm
        client.postLogoutRedirectURIs = [logoutURI, "http://127.0.0.1:50123/bye"]
        return client
    }

    func client(_ clientID: String = "oidc") throws -> FakeClient {
        FakeClient(server, clientID: clientID, redirectURI: Self.redirectURI, key: try TestKey.p256(2))
    }

    /// An attempt of a client with the additional parameters of a test.
    func attempt(_ client: FakeClient, _ more: FormParameters = [:]) -> FakeClient.Attempt {
        var attempt = client.attempt()
        attempt.parameters = attempt.parameters.with("scope", Self.scope)
        for parameter in more.all { attempt.parameters = attempt.parameters.with(parameter.name, parameter.value) }
        return attempt
    }

    /// The token response of a whole sign-in.
    func signIn(_ client: FakeClient, _ more: FormParameters = [:]) async throws -> HTTPResponse {
        let attempt = attempt(client, more)
        let response = try await client.redeem(try await client.code(for: attempt), attempt)
        #expect(response.status == 200, "\(response.text)")
        return response
    }

    /// The claims of an ID token, verified with a published key.
    func claims(_ idToken: String, by algorithm: SignatureAlgorithm = .rs256) async throws -> JSONObject {
        let keys = try JWKSet(parsing: await server.get("/jwks").json)
        let jws = try CompactJWS(parsing: idToken)
        let keyID = try #require(jws.header["kid"]?.stringValue)
        let key = try #require(keys.keys.first { $0.keyID == keyID })
        try jws.verify(with: key, allowing: [algorithm])
        #expect(jws.header["typ"] == "JWT")
        return try jws.payloadObject()
    }

    /// A request with an access token and a proof of its key.
    func userInfo(
        _ accessToken: String,
        _ client: FakeClient,
        method: String = "GET",
        scheme: String = "DPoP",
        nonce: String? = nil
    ) async throws -> HTTPResponse {
        let digest = SHA256.hash(Array(accessToken.utf8)).bytes
        let proof = try await client.proof(for: "/userinfo") { claims in
            claims["htm"] = .string(method)
            claims["ath"] = .string(Base64URL.encode(digest))
            claims["nonce"] = nonce.map { .string($0) }
        }
        let response = await server.send(
            HTTPRequest(
                method: method,
                target: "/userinfo",
                fields: ["Authorization": "\(scheme) \(accessToken)", "DPoP": proof ?? ""]
            )
        )
        guard nonce == nil, let given = response.fields["DPoP-Nonce"], response.status == 401 else { return response }
        return try await userInfo(accessToken, client, method: method, scheme: scheme, nonce: given)
    }
}
