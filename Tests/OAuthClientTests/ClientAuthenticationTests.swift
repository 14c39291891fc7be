// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import HTTPMessage
import JOSE
import OAuthClient
import OAuthCore
import StrictJSON
import TestSupport
import Testing

@Suite("RFC 6749 section 2.3, RFC 7523 section 2.2, RFC 8705: client authentication, over real sockets")
struct ClientAuthenticationTests {
    private static let secret = ClientSecret("s%cret: a+b&c=d/é~ which has more than 32 bytes")

    /// The requests to each endpoint with client authentication.
    private func requests(_ fixture: GrantFixture) async throws -> [GrantServerConduct.Received] {
        _ = try await fixture.client.initiateAuthorization(scopes: ["a"])
        _ = try await fixture.client.startDeviceAuthorization(scopes: ["a"])
        let tokens = try await fixture.client.exchangeJWTAssertion("e.30.x")
        try await fixture.client.revoke(tokens.accessToken)
        let received = ["/par", "/device", "/token", "/revoke"].flatMap { fixture.server.received(at: $0) }
        #expect(received.count == 4)
        #expect(fixture.server.violations == [])
        return received
    }

    private func assertion(_ received: GrantServerConduct.Received) throws -> (text: String, claims: JSONObject) {
        #expect(
            try received.value("client_assertion_type") == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
        )
        let text = try #require(try received.value("client_assertion"))
        return (text, try CompactJWS(parsing: text).payloadObject())
    }

    @Test func `trap 19: a public client sends client_id everywhere, and no secret`() async throws {
        for received in try await requests(GrantFixture(.none)) {
            #expect(try received.value("client_id") == GrantFixture.clientID)
            #expect(received.request.fields["Authorization"] == nil)
            #expect(!received.form.all.contains { $0.name.hasPrefix("client_") && $0.name != "client_id" })
        }
    }

    @Test func `trap 19: a public client sends client_id on refresh too`() async throws {
        let fixture = try GrantFixture(.none)
        fixture.server.change { $0.tokenMembers = ["refresh_token": "r"] }
        _ = try await fixture.client.refreshAccessToken(fixture.client.exchangeJWTAssertion("e.30.x"))
        #expect(try fixture.server.received(at: "/token").last?.value("grant_type") == "refresh_token")
        #expect(try fixture.server.received(at: "/token").last?.value("client_id") == GrantFixture.clientID)
    }

    @Test func `trap 17: client_secret_basic encodes identifier and secret as in a form, then in base64`() async throws
    {
        for received in try await requests(GrantFixture(.clientSecretBasic(Self.secret))) {
            let field = try #require(received.request.fields["Authorization"])
            let pair = try #require(Data(base64Encoded: String(field.dropFirst("Basic ".count))))
            let text = String(decoding: pair, as: UTF8.self)
            #expect(
                text
                    == "my+client%3A%C3%BC%2B1:s%25cret%3A+a%2Bb%26c%3Dd%2F%C3%A9%7E+which+has+more+than+32+bytes"
            )
            #expect(field.hasPrefix("Basic "))
            #expect(try received.value("client_secret") == nil)
            // A pushed request has it as a parameter of the authorization request.
            #expect(try received.value("client_id") == (received.path == "/par" ? GrantFixture.clientID : nil))
        }
    }

    @Test func `trap 15 and 18: client_secret_post sends the secret in the form, encoded, and never in a query`()
        async throws
    {
        for received in try await requests(GrantFixture(.clientSecretPost(Self.secret))) {
            #expect(try received.value("client_id") == GrantFixture.clientID)
            #expect(try received.value("client_secret") == Self.secret.value)
            #expect(received.request.fields["Authorization"] == nil)
        }
    }

    @Test func `private_key_jwt names client, issuer and key, and lives 60 seconds`() async throws {
        let fixture = try GrantFixture.withPrivateKey()
        let key = try TestKey.p256(9).publicKey
        for received in try await requests(fixture) {
            let (text, claims) = try assertion(received)
            let jws = try CompactJWS(parsing: text)
            try jws.verify(with: key, allowing: [.es256])
            #expect(jws.header["kid"] == "k9")
            #expect(claims["iss"]?.stringValue == GrantFixture.clientID)
            #expect(claims["sub"]?.stringValue == GrantFixture.clientID)
            #expect(claims["aud"] == .string(fixture.server.issuer))
            let (issued, expires) = (claims["iat"]?.integerValue, claims["exp"]?.integerValue)
            #expect(issued == 1_790_000_000)
            #expect(expires == 1_790_000_060)
            #expect(try received.value("client_id") == GrantFixture.clientID)
            #expect(received.request.fields["Authorization"] == nil)
        }
    }

    @Test func `an audience that the app wrote down is the only one`() async throws {
        let key = try TestKey.p256(9)
        let fixture = try GrantFixture(.privateKeyJWT(key)) {
            $0.clientAssertionAudience = "https://auth.example/token"
        }
        for received in try await requests(fixture) {
            #expect(try assertion(received).claims["aud"] == "https://auth.example/token")
        }
    }

    @Test func `private_key_jwt takes kid from the key when it has one`() async throws {
        struct NamedKey: SigningKey {
            let base: SoftwareSigningKey
            var publicKey: JWK { base.publicKey.named("named", algorithm: nil) }
            var algorithm: SignatureAlgorithm { base.algorithm }
            var protection: KeyProtection { base.protection }
            func sign(_ message: [UInt8]) async throws -> [UInt8] { try await base.sign(message) }
        }
        for (key, expected) in [
            (NamedKey(base: try TestKey.p256(9)) as any SigningKey, "named"), (try TestKey.p256(9), nil),
        ] {
            let fixture = try GrantFixture(.privateKeyJWT(key))
            _ = try await fixture.client.requestClientCredentialsTokens()
            let received = try #require(fixture.server.received(at: "/token").first)
            #expect(try CompactJWS(parsing: assertion(received).text).header["kid"]?.stringValue == expected)
        }
    }

    @Test func `trap 30 and 41: every request has an assertion of its own, the one repeated with a nonce too`()
        async throws
    {
        let fixture = try GrantFixture.withPrivateKey()
        fixture.server.change { $0.nonce = "n1" }
        var identifiers: [String] = []
        _ = try await fixture.client.requestClientCredentialsTokens()
        _ = try await fixture.client.requestClientCredentialsTokens()
        for received in fixture.server.received(at: "/token") {
            let identifier = try #require(try assertion(received).claims["jti"]?.stringValue)
            #expect(try Base64URL.decode(identifier).count == 16)
            identifiers.append(identifier)
        }
        #expect(identifiers.count == 3)
        #expect(Set(identifiers).count == 3)
        #expect(fixture.server.proofs.map(\.nonce) == [nil, "n1", "n1"])
    }

    @Test func `trap 41: a refresh repeated with a nonce has a new assertion and the same refresh token`() async throws
    {
        let fixture = try GrantFixture.withPrivateKey()
        fixture.server.change { $0.tokenMembers = ["refresh_token": "r"] }
        let tokens = try await fixture.client.requestClientCredentialsTokens()
        fixture.server.change { $0.nonce = "n1" }
        _ = try await fixture.client.refreshAccessToken(tokens)
        let refreshes = fixture.server.received(at: "/token").dropFirst()
        #expect(refreshes.count == 2)
        #expect(try refreshes.map { try $0.value("refresh_token") } == ["r", "r"])
        #expect(try Set(refreshes.map { try $0.value("client_assertion") }).count == 2)
        #expect(fixture.server.violations == [])
    }

    @Test func `trap 45: an assertion that is rejected while the clock is wrong is made again at the right time`()
        async throws
    {
        let fixture = try GrantFixture.withPrivateKey()
        // Ten minutes ahead of the device.
        fixture.transport.set(date: "Mon, 21 Sep 2026 14:23:20 GMT")
        fixture.server.change { $0.instead["/token"] = [.error(401, "invalid_client")] }
        _ = try await fixture.client.requestClientCredentialsTokens()
        let times = try fixture.server.received(at: "/token").map { try assertion($0).claims["iat"]?.integerValue ?? 0 }
        #expect(times.count == 2)
        #expect(times.first == 1_790_000_000)
        #expect(times.last.map { abs($0 - 1_790_000_600) < 5 } == true)
    }

    @Test func `invalid_client of a client without assertions leads to no other try`() async throws {
        let fixture = try GrantFixture(.clientSecretBasic(Self.secret))
        fixture.transport.set(date: "Mon, 21 Sep 2026 14:23:20 GMT")
        fixture.server.change { $0.instead["/token"] = [.error(401, "invalid_client")] }
        let error = await clientError { _ = try await fixture.client.requestClientCredentialsTokens() }
        #expect(error?.code == .serverRejected)
        #expect(error?.answer?.error == .invalidClient)
        #expect(error?.status == 401)
        #expect(fixture.server.received(at: "/token").count == 1)
    }

    @Test func `client_secret_jwt makes codes with the secret, which is not sent`() async throws {
        let key = try ClientSecretKey(secret: Array(Self.secret.value.utf8), algorithm: .hs256)
        let fixture = try GrantFixture(.clientSecretJWT(key))
        for received in try await requests(fixture) {
            let (text, claims) = try assertion(received)
            let jws = try CompactJWS(parsing: text)
            #expect(jws.header["alg"] == "HS256")
            try key.verify(jws)
            #expect(claims["aud"] == .string(fixture.server.issuer))
            #expect(claims["sub"]?.stringValue == GrantFixture.clientID)
            #expect(try received.value("client_secret") == nil)
        }
    }

    @Test func `a method that the metadata does not name is not tried, and the error says what would do`() async throws
    {
        let fixture = try GrantFixture(.clientSecretBasic(Self.secret))
        fixture.server.change {
            $0.metadata = ["token_endpoint_auth_methods_supported": ["private_key_jwt", "tls_client_auth", "a b"]]
        }
        let client = fixture.client
        for operation in [
            { _ = try await client.requestClientCredentialsTokens() },
            { _ = try await client.initiateAuthorization(scopes: []) },
            { _ = try await client.startDeviceAuthorization(scopes: []) },
        ] as [() async throws -> Void] {
            let error = await clientError(operation)
            #expect(error?.code == .unsupportedByServer)
            #expect(error?.reason.contains("client_secret_basic; it supports private_key_jwt, tls_client_auth") == true)
            #expect(error?.reason.contains("a b") == false)
        }
        #expect(["/token", "/par", "/device"].allSatisfy { fixture.server.received(at: $0).isEmpty })
    }

    @Test func `the revocation endpoint has a list of its own`() async throws {
        let fixture = try GrantFixture(.clientSecretBasic(Self.secret))
        fixture.server.change { $0.metadata = ["revocation_endpoint_auth_methods_supported": ["client_secret_post"]] }
        let error = await clientError { try await fixture.client.revoke(RefreshToken("r")) }
        #expect(error?.code == .unsupportedByServer)
        #expect(error?.reason.hasSuffix("it supports client_secret_post") == true)
        _ = try await fixture.client.requestClientCredentialsTokens()
    }

    @Test func `an algorithm that the metadata does not name is not tried`() async throws {
        let fixture = try GrantFixture.withPrivateKey()
        fixture.server.change {
            $0.metadata = ["token_endpoint_auth_signing_alg_values_supported": ["PS256", "EdDSA"]]
        }
        let error = await clientError { _ = try await fixture.client.requestClientCredentialsTokens() }
        #expect(error?.code == .unsupportedByServer)
        #expect(error?.reason.contains("ES256; it supports PS256, EdDSA") == true)
    }

    @Test func `a public client tries a server whose metadata names only what it can check`() async throws {
        let fixture = try GrantFixture(.none)
        fixture.server.change { $0.metadata = ["token_endpoint_auth_methods_supported": ["client_secret_basic"]] }
        _ = try await fixture.client.exchangeJWTAssertion("e.30.x")
    }

    @Test(arguments: [ClientAuthentication.tlsClientAuth, .selfSignedTLSClientAuth])
    func `RFC 8705: a client with a certificate goes to the aliases and names itself`(
        _ authentication: ClientAuthentication
    ) async throws {
        let fixture = try GrantFixture(authentication, transport: DatedTransport(presentsClientCertificate: true))
        let base = fixture.server.issuer
        fixture.server.change {
            $0.metadata = [
                "mtls_endpoint_aliases": .object([
                    "token_endpoint": .string(base + "/mtls/token"),
                    "revocation_endpoint": .string(base + "/mtls/revoke"),
                    "pushed_authorization_request_endpoint": .string(base + "/mtls/par"),
                ])
            ]
        }
        let tokens = try await fixture.client.requestClientCredentialsTokens()
        try await fixture.client.revoke(tokens.accessToken)
        _ = try await fixture.client.initiateAuthorization(scopes: [])
        _ = try await fixture.client.startDeviceAuthorization(scopes: [])
        for path in ["/token", "/revoke", "/par"] { #expect(fixture.server.received(at: path).isEmpty) }
        #expect(fixture.server.proofs.map(\.uri) == [base + "/mtls/token", base + "/mtls/par"])
        // An endpoint without an alias has one address for all clients.
        for path in ["/mtls/token", "/mtls/revoke", "/mtls/par", "/device"] {
            let received = try #require(fixture.server.received(at: path).first)
            #expect(try received.value("client_id") == GrantFixture.clientID)
            #expect(received.request.fields["Authorization"] == nil)
        }
        #expect(fixture.server.violations == [])
    }

    @Test func `RFC 8705: without a transport that presents a certificate nothing is sent`() async throws {
        let fixture = try GrantFixture(.tlsClientAuth)
        let error = await clientError { _ = try await fixture.client.requestClientCredentialsTokens() }
        #expect(error?.code == .clientCertificateMissing)
        #expect(fixture.server.received(at: "/token").isEmpty)
    }

    @Test func `RFC 8705: an alias that is not https is rejected`() async throws {
        let fixture = try GrantFixture(.tlsClientAuth, transport: DatedTransport(presentsClientCertificate: true))
        fixture.server.change {
            $0.metadata = ["mtls_endpoint_aliases": ["token_endpoint": "http://auth.example/token"]]
        }
        let error = await clientError { _ = try await fixture.client.requestClientCredentialsTokens() }
        #expect(error?.code == .insecureURL)
    }

    @Test func `a key that does not sign is an error of the key`() async throws {
        struct BrokenKey: SigningKey {
            struct Fault: Error {}
            let publicKey: JWK
            var algorithm: SignatureAlgorithm { .es256 }
            var protection: KeyProtection { .memory }
            func sign(_ message: [UInt8]) async throws -> [UInt8] { throw Fault() }
        }
        let fixture = try GrantFixture(.privateKeyJWT(BrokenKey(publicKey: TestKey.p256(9).publicKey)))
        let error = await clientError { _ = try await fixture.client.requestClientCredentialsTokens() }
        #expect(error?.code == .keyUnavailable)
    }

    @Test func `trap 66: what holds a secret prints none`() throws {
        let key = try ClientSecretKey(secret: Array(Self.secret.value.utf8), algorithm: .hs256)
        let all: [ClientAuthentication] = [
            .clientSecretBasic(Self.secret), .clientSecretPost(Self.secret), .clientSecretJWT(key),
            .privateKeyJWT(try TestKey.p256(9)),
        ]
        var configuration = OAuth2ClientConfiguration()
        for authentication in all {
            configuration.clientAuthentication = authentication
            var dumped = ""
            dump(configuration, to: &dumped)
            dump(Self.secret, to: &dumped)
            dump(SecurityToken(Self.secret.value, type: .jwt), to: &dumped)
            let printed = "\(configuration) \(String(reflecting: configuration)) \(Self.secret) \(dumped)"
            #expect(!printed.contains("s%cret"))
            #expect(printed.contains(authentication.method.rawValue))
        }
    }
}
#endif
