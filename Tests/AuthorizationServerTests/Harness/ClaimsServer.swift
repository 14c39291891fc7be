// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import OAuthCore
import ServerStorage
import StrictJSON
import TestSupport
import Testing

/// A server with two scopes that release claims, `email` and `groups`, and users with these claims and one more.
///
/// Of its APIs, notes takes no claim, files takes `groups`, and the vault, which has opaque tokens, `roles` and `email`.
struct ClaimsServer {
    static let files = "https://files.example.com"
    static let vault = "https://vault.example.com"
    static let scope = "openid profile email groups api:read files:read vault:open"
    /// What is stored about Ada; no scope releases the last one.
    static let adas: JSONObject = [
        "email": "ada@example.com", "email_verified": true, "groups": ["admin", "staff"], "roles": ["editor"],
        "badge": "not configured",
    ]

    let server: ServerUnderTest
    let client: FakeClient

    init(
        storage: any AuthorizationStorage = MemoryAuthorizationStorage(),
        _ change: (inout ServerConfiguration) -> Void = { _ in }
    ) async throws {
        server = try await .inMemory(
            clients: Self.clients(),
            storage: storage,
            idTokenKey: try TestKey.rsa()
        ) { configuration in
            let names = Self.scope.split(separator: " ").map(String.init)
            configuration.scopes += names.filter { $0 != "api:read" }.map { ScopeDescription(name: $0) }
            configuration.claims = [
                ScopeClaims(scope: "email", names: ["email", "email_verified"]),
                ScopeClaims(scope: "groups", names: ["groups", "roles"]),
            ]
            configuration.resources = [
                ProtectedResource(address: Self.files, scopes: ["files:read"], claims: ["groups"]),
                ProtectedResource(
                    address: Self.vault,
                    scopes: ["vault:open"],
                    tokenFormat: .opaque,
                    claims: ["roles", "email"]
                ),
            ]
            change(&configuration)
        }
        client = FakeClient(
            server,
            clientID: "team-app",
            redirectURI: OpenIDServer.redirectURI,
            key: try TestKey.p256(2)
        )
        try await set(Self.adas, of: "ada")
        try await set(["email": "bob@example.com", "groups": ["interns"]], of: "bob")
    }

    private static func clients() throws -> [RegisteredClient] {
        [
            try ServerUnderTest.client("team-app", redirectURIs: [OpenIDServer.redirectURI], scope: scope),
            try ConfidentialClient.registration("backend", .clientSecretBasic) { client in
                client.scope = try Scope(parsing: "api:read files:read groups")
                client.grantTypes = [.tokenExchange, .clientCredentials]
                client.introspectionAudiences = [files]
                client.tokenExchangeRights = [.subjectTokensBoundToKeysOfOthers]
            },
            try ConfidentialClient.registration("vault-api", .clientSecretBasic) { client in
                (client.grantTypes, client.introspectionAudiences) = ([], [vault])
            },
        ]
    }

    /// Sets all claims of a user.
    func set(_ claims: JSONObject, of name: String) async throws {
        #expect(try await server.storage.setClaims(claims, of: "subject-of-\(name)", replacing: nil))
    }

    /// The token response of a sign-in of Ada.
    func signIn(_ scope: String, _ resources: [String] = []) async throws -> HTTPResponse {
        try await client.tokens(for: client.attempt(scope: scope, resources: resources))
    }

    /// The verified claims of the id_token in a response.
    func idToken(_ response: HTTPResponse) async throws -> JSONObject {
        try await OpenIDServer(server).claims(try response.string("id_token"))
    }
}
