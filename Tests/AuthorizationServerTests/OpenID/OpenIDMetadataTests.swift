// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import JOSE
import StrictJSON
import TestSupport
import Testing

@Suite("OpenID Connect: discovery")
struct OpenIDMetadataTests {
    @Test func `OpenID Connect Discovery section 3, says what is there and nothing else`() async throws {
        let openID = try await OpenIDServer()
        let response = await openID.server.get("/.well-known/openid-configuration")
        #expect(response.status == 200)
        #expect(response.fields["Access-Control-Allow-Origin"] == "*")
        let expected: JSONObject = [
            "issuer": "https://auth.example.com",
            "userinfo_endpoint": "https://auth.example.com/userinfo",
            "end_session_endpoint": "https://auth.example.com/logout",
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256", "ES256"],
            "acr_values_supported": ["urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport"],
            "scopes_supported": ["api:read", "api:write", "openid", "profile"],
            "response_types_supported": ["code"],
            "claims_supported": [
                "iss", "sub", "aud", "iat", "exp", "auth_time", "nonce", "acr", "amr", "at_hash", "preferred_username",
            ],
            "prompt_values_supported": ["none", "login", "consent", "select_account"],
            "claims_parameter_supported": false,
            "request_parameter_supported": true,
            "request_uri_parameter_supported": false,
        ]
        for member in expected.members { #expect(response.json[member.name] == member.value, "\(member.name)") }
        // Clients of both kinds find the same.
        #expect(await openID.server.get("/.well-known/oauth-authorization-server").json == response.json)
    }

    @Test func `case 49: an issuer with a path has the same document at each of three addresses`() async throws {
        let issuer = "https://auth.example.com/tenant"
        let scopes = [ScopeDescription(name: "openid")]
        let server = try await ServerUnderTest.inMemory(idTokenKey: try TestKey.rsa()) {
            $0.issuer = (try? URI(parsing: issuer)) ?? $0.issuer
            $0.scopes = scopes
        }
        let addresses = [
            "/.well-known/oauth-authorization-server/tenant", "/.well-known/openid-configuration/tenant",
            "/tenant/.well-known/openid-configuration",
        ]
        for address in addresses {
            let response = await server.get(address)
            #expect(response.status == 200, "\(address)")
            #expect(response.json["issuer"]?.stringValue == issuer)
            #expect(await server.get(addresses[0]).json == response.json)
        }
        #expect(await server.get("/.well-known/openid-configuration").status == 404)
    }

    @Test(arguments: ["/.well-known/openid-configuration", "/userinfo", "/logout", "/logout/confirm"])
    func `without the scope openid there is none of it`(_ path: String) async throws {
        let server = try await ServerUnderTest.inMemory(idTokenKey: try TestKey.rsa())
        #expect(await server.get(path).status == 404)
        #expect(await server.post(path, [:]).status == 404)
        let metadata = await server.get("/.well-known/oauth-authorization-server").json
        for name in ["userinfo_endpoint", "end_session_endpoint", "subject_types_supported", "claims_supported"] {
            #expect(metadata[name] == nil)
        }
        #expect(await server.get("/jwks").json["keys"]?.arrayValue?.count == 1)
    }

    @Test func `OpenID Connect Discovery section 4, an issuer with a path has its document below it`() async throws {
        let openID = try await OpenIDServer { configuration in
            configuration.issuer = (try? URI(parsing: "https://example.com/tenant/1")) ?? configuration.issuer
        }
        let metadata = await openID.server.get("/tenant/1/.well-known/openid-configuration")
        #expect(metadata.json["userinfo_endpoint"] == "https://example.com/tenant/1/userinfo")
        #expect(await openID.server.get("/.well-known/openid-configuration").status == 404)
    }

    @Test func `the name is offered only where there is the scope profile`() async throws {
        let openID = try await OpenIDServer { configuration in
            configuration.scopes.removeAll { $0.name == "profile" }
        }
        let claims = await openID.server.get("/.well-known/openid-configuration").json["claims_supported"]
        #expect(claims?.arrayValue?.contains("preferred_username") == false)
    }
}
