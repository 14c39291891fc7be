// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import JOSE
import OAuthCore
import ServerStorage
import StrictJSON
import TestSupport
import Testing

/// A server with several APIs: notes, the default; files, whose tokens are like those of notes; and a vault with opaque
/// tokens that live one minute.
enum ResourcefulServer {
    static let notes = ServerUnderTest.audience
    static let files = "https://files.example.com"
    static let vault = "https://vault.example.com"
    static let scope = "api:read files:read vault:open"

    static func make(
        clients: [RegisteredClient] = [],
        storage: any AuthorizationStorage = MemoryAuthorizationStorage(),
        idTokenKey: (any SigningKey)? = nil,
        _ change: (inout ServerConfiguration) -> Void = { _ in }
    ) async throws -> ServerUnderTest {
        var app = try ServerUnderTest.client("rich", redirectURIs: [redirectURI], scope: scope + " openid profile")
        app.authorizationDetailTypes = [payment.type, "files"]
        var service = try ConfidentialClient.registration("service", .clientSecretBasic)
        service.scope = try Scope(parsing: scope)
        service.authorizationDetailTypes = [payment.type]
        var api = try ConfidentialClient.registration("vault-api", .clientSecretBasic)
        (api.grantTypes, api.introspectionAudiences) = ([], [vault])
        return try await ServerUnderTest.inMemory(
            clients: [app, service, api] + clients,
            storage: storage,
            idTokenKey: idTokenKey
        ) { configuration in
            configuration.scopes += ["files:read", "vault:open", "openid", "profile"].map { ScopeDescription(name: $0) }
            configuration.resources = [
                ProtectedResource(address: files, scopes: ["files:read"]),
                ProtectedResource(
                    address: vault,
                    scopes: ["vault:open"],
                    tokenFormat: .opaque,
                    accessTokenLifetime: .seconds(60)
                ),
            ]
            configuration.authorizationDetailTypes = [payment, AuthorizationDetailType(type: "files", fields: place)]
            change(&configuration)
        }
    }

    static let redirectURI = "https://app.example.com/callback"

    private static let place = [AuthorizationDetailField(name: "locations")]

    /// Payments have an amount, an action and optionally a location, and are never above 1000.
    static let payment = AuthorizationDetailType(
        type: "payment",
        text: "Make a payment",
        fields: [
            AuthorizationDetailField(name: "actions", values: ["initiate", "status"]),
            AuthorizationDetailField(name: "amount", text: "Amount", isRequired: true),
            AuthorizationDetailField(name: "note"),
        ] + place
    ) { detail in (detail["amount"]?.integerValue ?? 0) <= 1000 }

    static func client(_ server: ServerUnderTest) throws -> FakeClient {
        FakeClient(server, clientID: "rich", redirectURI: redirectURI, key: try TestKey.p256(2))
    }
}

extension FakeClient {
    /// An attempt that requests a scope and resources.
    func attempt(scope: String?, resources: [String] = [], details: String? = nil) -> Attempt {
        var attempt = attempt()
        attempt.parameters = attempt.parameters.with("scope", scope)
        for resource in resources { attempt.parameters.append("resource", resource) }
        if let details { attempt.parameters.append("authorization_details", details) }
        return attempt
    }

    /// Redeems the code of a request that the user allowed, for some of the resources.
    func tokens(for attempt: Attempt, resources: [String] = [], details: String? = nil) async throws -> HTTPResponse {
        try await post("/token", exchange(try await code(for: attempt), attempt).naming(resources, details))
    }

    func refresh(_ token: String, resources: [String], details: String? = nil) async throws -> HTTPResponse {
        try await post("/token", refreshing(token).naming(resources, details))
    }
}

extension FormParameters {
    func naming(_ resources: [String], _ details: String? = nil) -> FormParameters {
        var form = self
        for resource in resources { form.append("resource", resource) }
        if let details { form.append("authorization_details", details) }
        return form
    }
}

extension HTTPResponse {
    /// The claims of a JWT access token.
    func accessTokenClaims(sourceLocation: SourceLocation = #_sourceLocation) throws -> JSONObject {
        #expect(status == 200, "\(text)", sourceLocation: sourceLocation)
        return try CompactJWS(parsing: string("access_token")).payloadObject()
    }
}
