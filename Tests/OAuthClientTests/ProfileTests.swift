// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthClient
import OAuthCore
import StrictJSON
import TestSupport
import Testing

@Suite("Profiles: one word for the safe settings, and servers that do not meet them")
struct ProfileTests {
    /// Metadata that meets both profiles.
    private static let good: JSONObject = [
        "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": true,
        "dpop_signing_alg_values_supported": ["ES256"],
        "token_endpoint_auth_methods_supported": ["private_key_jwt", "tls_client_auth"],
    ]

    private static func fapi2() throws -> OAuth2ClientConfiguration {
        var configuration = OAuth2ClientConfiguration.fapi2
        configuration.clientAuthentication = .privateKeyJWT(try TestKey.p256(9))
        return configuration
    }

    private static func violation(_ error: OAuthClientError?) -> ProfileViolation? {
        error?.underlying as? ProfileViolation
    }

    /// The rule that a client with these settings violates; `nil` if it can be made.
    private func contradiction(
        _ configuration: OAuth2ClientConfiguration,
        redirectURI: String? = "com.example.app:/callback"
    ) async -> ProfileViolation? {
        let error = await clientError {
            _ = try OAuth2Client(
                issuer: FakeServer.issuer,
                clientID: "my-app",
                redirectURI: redirectURI,
                configuration: configuration
            )
        }
        #expect(error == nil || error?.code == .profileContradicted)
        return Self.violation(error)
    }

    /// The rule that a server with these metadata members violates.
    private func refusal(
        _ configuration: OAuth2ClientConfiguration,
        _ members: JSONObject,
        offersPAR: Bool = true
    ) async throws -> ProfileViolation? {
        let fixture = try SignInFixture { $0 = configuration }
        await fixture.server.change {
            $0.metadata = Self.good
            for member in members.members { $0.metadata[member.name] = member.value }
            $0.offersPAR = offersPAR
        }
        let error = await clientError { _ = try await fixture.client.initiateAuthorization(scopes: []) }
        #expect(error == nil || error?.code == .serverBelowProfile)
        if error != nil {
            #expect(
                await fixture.server.requests.allSatisfy { $0.method == "GET" },
                "nothing but the metadata is asked"
            )
        }
        return Self.violation(error)
    }

    // MARK: native

    @Test func `native signs in at a server that meets it`() async throws {
        let fixture = try SignInFixture { $0 = .native }
        await fixture.server.change { $0.metadata = Self.good }
        let session = try await fixture.session()
        #expect(try await fixture.get(session).body == "hello")
        #expect(await fixture.server.violations.isEmpty)
    }

    @Test(
        arguments: [
            ("code_challenge_methods_supported", .null, .s256CodeChallenge, "RFC 9700 section 2.1.1"),
            ("code_challenge_methods_supported", ["plain"], .s256CodeChallenge, "RFC 9700 section 2.1.1"),
            ("authorization_response_iss_parameter_supported", false, .issuerOfResponses, "RFC 9207 section 3"),
            ("authorization_response_iss_parameter_supported", .null, .issuerOfResponses, "RFC 9207 section 3"),
            ("dpop_signing_alg_values_supported", .null, .serverBindsTokens, "RFC 9449 section 5.1"),
            ("dpop_signing_alg_values_supported", ["ES384"], .serverBindsTokens, "RFC 9449 section 5.1"),
        ] as [(String, JSONValue, ProfileViolation.Requirement, String)]
    )
    func `native refuses a server that does not promise what it needs`(
        _ name: String,
        _ value: JSONValue,
        _ requirement: ProfileViolation.Requirement,
        _ section: String
    ) async throws {
        var members = JSONObject()
        members[name] = value
        let violation = try await refusal(.native, members)
        #expect(violation?.requirement == requirement)
        #expect(violation?.section == section)
        #expect(violation?.profile == .native)
    }

    @Test func `native is for public clients, and for bound tokens without a fallback`() async throws {
        var configuration = OAuth2ClientConfiguration.native
        configuration.clientAuthentication = .clientSecretBasic(ClientSecret("a secret"))
        #expect(await contradiction(configuration)?.requirement == .publicClient)
        for binding: any TokenBoundConfiguration in [
            UnboundedTokenConfiguration(), BoundedTokenConfiguration.acceptingBearerTokens,
            BoundedTokenConfiguration(fallback: .unboundTokensWhenNoKeyCanBeMade),
        ] {
            configuration = .native
            configuration.tokenBoundConfiguration = binding
            #expect(await contradiction(configuration)?.requirement == .boundTokens)
        }
    }

    @Test(
        arguments: [
            ("https://app.example/callback", true), ("http://127.0.0.1/callback", true), ("http://[::1]/c", true),
            ("com.example.app:/callback", true), ("http://localhost/callback", false), ("myapp:/callback", false),
            ("http://app.example/callback", false), ("http://127.0.0.1.example/c", false),
        ]
    )
    func `both profiles take redirect URIs that lead to this app alone`(
        _ redirectURI: String,
        _ isTaken: Bool
    ) async throws {
        for configuration in [OAuth2ClientConfiguration.native, try Self.fapi2()] {
            let violation = await contradiction(configuration, redirectURI: redirectURI)
            #expect(violation?.requirement == (isTaken ? nil : .redirectURI))
        }
        #expect(await contradiction(.native, redirectURI: nil) == nil)
    }

    // MARK: fapi2

    @Test func `fapi2 signs in with a key, and its assertion names the issuer as a string`() async throws {
        let configuration = try Self.fapi2()
        let fixture = try SignInFixture { $0 = configuration }
        await fixture.server.change { $0.metadata = Self.good }
        let session = try await fixture.session()
        #expect(try await fixture.get(session).body == "hello")
        for path in ["/par", "/token"] {
            let request = try #require(await fixture.server.requests(to: path).first)
            let form = try FormParameters(decoding: request.body)
            let assertion = try CompactJWS(parsing: #require(try form.value(for: "client_assertion")))
            #expect(try assertion.payloadObject()["aud"] == .string(FakeServer.issuer))
        }
        let url = try await fixture.client.initiateAuthorization(scopes: []).url
        let query = try FormParameters(decoding: #require(try URI(parsing: url).query))
        #expect(query.all.map(\.name) == ["client_id", "request_uri"])
    }

    @Test(
        arguments: [
            ("code_challenge_methods_supported", .null, .s256CodeChallenge, "5.3.2.2 (5)"),
            ("authorization_response_iss_parameter_supported", .null, .issuerOfResponses, "5.3.2.2 (7)"),
            ("token_endpoint_auth_methods_supported", .null, .serverAuthenticatesClients, "5.3.2.1 (6)"),
            (
                "token_endpoint_auth_methods_supported", ["client_secret_basic"], .serverAuthenticatesClients,
                "5.3.2.1 (6)"
            ),
            ("dpop_signing_alg_values_supported", .null, .serverBindsTokens, "5.3.2.1 (5)"),
        ] as [(String, JSONValue, ProfileViolation.Requirement, String)]
    )
    func `fapi2 refuses a server that does not promise what it needs`(
        _ name: String,
        _ value: JSONValue,
        _ requirement: ProfileViolation.Requirement,
        _ section: String
    ) async throws {
        var members = JSONObject()
        members[name] = value
        let violation = try await refusal(Self.fapi2(), members)
        #expect(violation?.requirement == requirement)
        #expect(violation?.section == "FAPI 2.0 section " + section)
    }

    @Test func `fapi2 refuses a server without pushed authorization requests`() async throws {
        let violation = try await refusal(Self.fapi2(), [:], offersPAR: false)
        #expect(violation?.requirement == .pushedAuthorizationRequests)
        #expect(violation?.description.contains("FAPI 2.0 section 5.3.2.2 (2)") == true)
    }

    @Test func `fapi2 for a client without a redirect URI asks nothing of the authorization endpoint`() async throws {
        let server = FakeServer()
        await server.change {
            $0.offersPAR = false
            $0.metadata = [
                "dpop_signing_alg_values_supported": ["ES256"],
                "token_endpoint_auth_methods_supported": ["private_key_jwt"],
            ]
        }
        let client = try OAuth2Client(
            issuer: FakeServer.issuer,
            clientID: "my-app",
            configuration: Self.fapi2(),
            transport: server
        )
        #expect(try await client.fetchAuthorizationServerMetadata().issuer == FakeServer.issuer)
    }

    @Test func `fapi2 is contradicted by every setting that is weaker`() async throws {
        typealias Change = @Sendable (inout OAuth2ClientConfiguration) throws -> Void
        let cases: [(ProfileViolation.Requirement, Change)] = [
            (.strongClientAuthentication, { $0.clientAuthentication = .none }),
            (.strongClientAuthentication, { $0.clientAuthentication = .clientSecretBasic(ClientSecret("s")) }),
            (.assertionAudience, { $0.clientAssertionAudience = "https://auth.example/token" }),
            (.boundTokens, { $0.tokenBoundConfiguration = UnboundedTokenConfiguration() }),
            (.boundTokens, { $0.tokenBoundConfiguration = .acceptingBearerTokens }),
            (.signatureAlgorithm, { $0.tokenBoundConfiguration = BoundedTokenConfiguration(keyPairType: .p384) }),
            (
                .signatureAlgorithm,
                { $0.clientAuthentication = .privateKeyJWT(try SoftwareSigningKey(generating: .es384)) }
            ),
            (.signatureAlgorithm, { $0.idTokenAlgorithms.insert(.rs256) }),
            (.signatureAlgorithm, { $0.signedResponseAlgorithms = [.es384] }),
            (
                .signatureAlgorithm,
                {
                    let secret = [UInt8](repeating: 7, count: 32)
                    $0.idTokenKeyMadeOfClientSecret = try ClientSecretKey(secret: secret, algorithm: .hs256)
                }
            ),
            (
                .signatureAlgorithm,
                { $0.requestObjectSigning = .always(with: try SoftwareSigningKey(generating: .es384)) }
            ),
            (.tls, { $0.allowsInsecureHTTPOnLoopback = true }),
            (.noRedirects, { $0.followsRedirectsWithinOneOriginWithNewProofs = true }),
        ]
        for (requirement, change) in cases {
            var configuration = try Self.fapi2()
            try change(&configuration)
            #expect(await contradiction(configuration)?.requirement == requirement)
        }
        // Similar settings that are allowed.
        let allowed: [Change] = [
            { $0.clientAssertionAudience = FakeServer.issuer },
            { $0.tokenBoundConfiguration = BoundedTokenConfiguration(keyPairType: .ed25519) },
            { $0.requestObjectSigning = .always(with: try TestKey.p256(9)) },
            { $0.idTokenAlgorithms = [.es256] },
            {
                $0.clientAuthentication = .tlsClientAuth
                $0.tokenBoundConfiguration = UnboundedTokenConfiguration()
            },
        ]
        for change in allowed {
            var configuration = try Self.fapi2()
            try change(&configuration)
            #expect(await contradiction(configuration) == nil)
        }
    }

    @Test func `fapi2 with a certificate wants tokens that are bound to it`() async throws {
        var configuration = OAuth2ClientConfiguration.fapi2
        configuration.clientAuthentication = .tlsClientAuth
        configuration.tokenBoundConfiguration = UnboundedTokenConfiguration()
        #expect(try await refusal(configuration, [:])?.requirement == .serverBindsTokens)
        let bound: JSONObject = ["tls_client_certificate_bound_access_tokens": true]
        let fixture = try SignInFixture { $0 = configuration }
        await fixture.server.change { $0.metadata = Self.good.merging(bound) }
        // The profile is met; only the transport is missing now.
        let error = await clientError { _ = try await fixture.client.initiateAuthorization(scopes: []) }
        #expect(error?.code == .clientCertificateMissing)
    }

    @Test func `without a profile a server that says nothing is tried`() async throws {
        let fixture = try SignInFixture()
        _ = try await fixture.session()
        #expect(OAuth2ClientConfiguration().profile == nil)
    }
}
