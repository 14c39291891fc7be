// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthCore
import StrictJSON
import Testing

@Suite("RFC 8414 section 2: authorization server metadata")
struct AuthorizationServerMetadataTests {
    /// The example of RFC 8414 section 3.2, shortened, with members of later specifications.
    private let document = """
        {"issuer":"https://server.example.com",
         "authorization_endpoint":"https://server.example.com/authorize",
         "token_endpoint":"https://server.example.com/token",
         "token_endpoint_auth_methods_supported":["client_secret_basic","private_key_jwt"],
         "userinfo_endpoint":"https://server.example.com/userinfo",
         "jwks_uri":"https://server.example.com/jwks.json",
         "registration_endpoint":"https://server.example.com/register",
         "end_session_endpoint":"https://server.example.com/end",
         "id_token_signing_alg_values_supported":["ES256","none"],
         "introspection_endpoint_auth_methods_supported":["client_secret_basic"],
         "acr_values_supported":["1"],
         "scopes_supported":["openid","profile"],
         "response_types_supported":["code","code token"],
         "service_documentation":"http://server.example.com/service_documentation.html",
         "ui_locales_supported":["en-US"],
         "pushed_authorization_request_endpoint":"https://server.example.com/par",
         "require_pushed_authorization_requests":true,
         "authorization_response_iss_parameter_supported":true,
         "code_challenge_methods_supported":["S256"],
         "token_endpoint_auth_signing_alg_values_supported":["RS256","ES256"],
         "mtls_endpoint_aliases":{"token_endpoint":"https://mtls.example.com/token","x":"no uri","y":5},
         "dpop_signing_alg_values_supported":["ES256"],
         "authorization_challenge_endpoint":"https://server.example.com/authorize-challenge",
         "keybound_sign_in_steps_supported":["password","redirect_to_web"]}
        """

    private func parse(_ text: String) throws -> AuthorizationServerMetadata {
        try AuthorizationServerMetadata(parsing: #require(try JSONValue(parsing: Array(text.utf8)).objectValue))
    }

    @Test func `the example of the specification is read`() throws {
        let metadata = try parse(document)
        #expect(metadata.issuer == "https://server.example.com")
        #expect(metadata.tokenEndpoint?.description == "https://server.example.com/token")
        #expect(metadata.pushedAuthorizationRequestEndpoint?.path == "/par")
        #expect(metadata.requirePushedAuthorizationRequests)
        #expect(metadata.tokenEndpointAuthSigningAlgValuesSupported == ["RS256", "ES256"])
        #expect(
            metadata.mtlsEndpointAliases.mapValues(\.description) == [
                "token_endpoint": "https://mtls.example.com/token"
            ]
        )
        #expect(metadata.userinfoEndpoint?.path == "/userinfo")
        #expect(metadata.endSessionEndpoint?.path == "/end")
        #expect(metadata.idTokenSigningAlgValuesSupported == ["ES256", "none"])
        #expect(metadata.introspectionEndpointAuthMethodsSupported == ["client_secret_basic"])
        #expect(metadata.acrValuesSupported == ["1"])
        #expect(metadata.authorizationResponseIssParameterSupported)
        #expect(metadata.codeChallengeMethodsSupported == ["S256"])
        #expect(metadata.dpopSigningAlgValuesSupported == ["ES256"])
        #expect(
            metadata.authorizationChallengeEndpoint?.description == "https://server.example.com/authorize-challenge"
        )
        #expect(metadata.signInStepsSupported == ["password", "redirect_to_web"])
        #expect(metadata.responseTypesSupported == ["code", "code token"])
        #expect(metadata.otherMembers.members.map(\.name) == ["service_documentation", "ui_locales_supported"])
    }

    @Test func `what is written is read again, members that are not known included`() throws {
        let metadata = try parse(document)
        #expect(try AuthorizationServerMetadata(parsing: metadata.json) == metadata)
        #expect(metadata.json.members.count == 24)
    }

    @Test func `what is absent is unknown, not false or empty`() throws {
        let metadata = try parse(#"{"issuer":"https://a.example","revocation_endpoint":null}"#)
        #expect(metadata.codeChallengeMethodsSupported == nil)
        #expect(metadata.revocationEndpoint == nil)
        #expect(!metadata.requirePushedAuthorizationRequests)
        #expect(metadata.json == ["issuer": "https://a.example"])
    }

    @Test(arguments: [
        #"{}"#, #"{"issuer":1}"#, #"{"issuer":"https://a.example","token_endpoint":"/token"}"#,
        #"{"issuer":"https://a.example","scopes_supported":"a"}"#,
        #"{"issuer":"https://a.example","scopes_supported":[1]}"#,
        #"{"issuer":"https://a.example","mtls_endpoint_aliases":[]}"#,
        #"{"issuer":"https://a.example","require_pushed_authorization_requests":"true"}"#,
    ])
    func `a member of the wrong type is rejected`(_ text: String) {
        #expect(throws: OAuthCoreError.self) { try parse(text) }
    }
}

@Suite("RFC 8414 section 3.1: where metadata lies")
struct WellKnownURITests {
    @Test(arguments: [
        ("https://a.example", "https://a.example/.well-known/oauth-authorization-server"),
        ("https://a.example/", "https://a.example/.well-known/oauth-authorization-server"),
        ("https://a.example/t", "https://a.example/.well-known/oauth-authorization-server/t"),
        ("https://a.example:8443/t/u/", "https://a.example:8443/.well-known/oauth-authorization-server/t/u"),
        ("http://[::1]:80/t", "http://[::1]:80/.well-known/oauth-authorization-server/t"),
    ])
    func `RFC 8414 inserts the well-known part before the path`(_ issuer: String, _ expected: String) throws {
        let uri = try WellKnownURI.authorizationServerMetadata(of: URI(parsing: issuer))
        #expect(uri.description == expected)
    }

    @Test(arguments: [
        ("https://a.example", "https://a.example/.well-known/openid-configuration"),
        ("https://a.example/t/", "https://a.example/t/.well-known/openid-configuration"),
    ])
    func `OpenID Connect appends it`(_ issuer: String, _ expected: String) throws {
        #expect(try WellKnownURI.openIDConfiguration(of: URI(parsing: issuer)).description == expected)
    }

    @Test(arguments: ["https://a.example?b", "https://a.example/#b", "https://u@a.example", "urn:a:b"])
    func `an issuer with query, fragment or user is rejected`(_ issuer: String) {
        #expect(throws: OAuthCoreError.self) {
            try WellKnownURI.authorizationServerMetadata(of: URI(parsing: issuer))
        }
    }
}
