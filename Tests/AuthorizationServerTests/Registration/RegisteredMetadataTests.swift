// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import OAuthCore
import ServerStorage
import StrictJSON
import TestSupport
import Testing

@Suite("What clients that register themselves ask for, and what they get: RFC 7591 sections 2 and 3.2.1")
struct RegisteredMetadataTests {
    private func server(
        _ change: (inout ServerConfiguration) -> Void = { _ in }
    ) async throws -> ServerUnderTest {
        let scope = try Scope(parsing: "api:read")
        return try await ServerUnderTest.inMemory { configuration in
            configuration.unregisteredClients.isRegistrationOpen = true
            configuration.unregisteredClients.scope = scope
            change(&configuration)
        }
    }

    private func register(at server: ServerUnderTest, _ metadata: JSONObject) async -> HTTPResponse {
        var object: JSONObject = [
            "redirect_uris": ["http://127.0.0.1/callback"], "token_endpoint_auth_method": "none",
            "client_name": "Agent", "grant_types": ["authorization_code", "refresh_token"],
        ]
        for member in metadata.members { object[member.name] = member.value }
        return await server.send(
            HTTPRequest(
                method: "POST",
                target: "/register",
                fields: ["Content-Type": "application/json"],
                body: JSONValue.object(object).encoded()
            )
        )
    }

    @Test func `of the grant types that it names a client gets those that it may have`() async throws {
        let server = try await server()
        let all = await server.get("/.well-known/oauth-authorization-server").json["grant_types_supported"]
        let named: [JSONValue] = [
            // As VS Code does: whatever the metadata of the server list.
            try #require(all), ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
            ["client_credentials", "authorization_code"], ["authorization_code", "implicit", "urn:example:other"],
        ]
        for (types, hasRefresh) in zip(named, [true, true, false, false]) {
            let response = await register(at: server, ["grant_types": types])
            #expect(response.status == 201, "\(response.text)")
            let expected: [GrantType] = hasRefresh ? [.authorizationCode, .refreshToken] : [.authorizationCode]
            let given = (response.json["grant_types"]?.arrayValue ?? []).compactMap(\.stringValue)
            #expect(Set(given) == Set(expected.map(\.rawValue)) && given.count == expected.count)
            let stored = try await server.storage.client(response.string("client_id"))
            #expect(stored.map { Set($0.grantTypes) } == Set(expected))
        }
    }
}
