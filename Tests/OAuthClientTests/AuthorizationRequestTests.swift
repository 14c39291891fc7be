// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthClient
import OAuthCore
import PKCE
import SigningKeys
import StrictJSON
import Testing

@Suite("RFC 6749 section 4.1.1, RFC 7636, RFC 9126: the authorization request")
struct AuthorizationRequestTests {
    private func parameters(_ fixture: SignInFixture, scopes: [String] = ["api:read"]) async throws -> FormParameters {
        let request = try await fixture.client.initiateAuthorization(scopes: scopes)
        return try await fixture.server.authorizationParameters(request.url)
    }

    @Test func `trap 1 and 5: verifier and state are new at each attempt, state has 256 bits`() async throws {
        let fixture = try SignInFixture()
        let first = try await parameters(fixture)
        let second = try await parameters(fixture)
        #expect(try first.value(for: "code_challenge") != second.value(for: "code_challenge"))
        #expect(try first.value(for: "state") != second.value(for: "state"))
        #expect(try first.value(for: "state")?.utf8.count == 43)
        #expect(try first.value(for: "code_challenge")?.utf8.count == 43)
    }

    @Test func `trap 3: sends S256 when the metadata does not speak of PKCE`() async throws {
        let fixture = try SignInFixture()
        #expect(try await parameters(fixture).value(for: "code_challenge_method") == "S256")
    }

    @Test func `trap 3: goes no further when the metadata offers plain only`() async throws {
        let fixture = try SignInFixture()
        await fixture.server.change { $0.metadata = ["code_challenge_methods_supported": ["plain"]] }
        let error = await clientError { _ = try await fixture.client.initiateAuthorization(scopes: []) }
        #expect(error?.code == .unsupportedByServer)
    }

    @Test func `trap 34: goes no further when the server takes no proofs with the algorithm of the key`() async throws {
        let fixture = try SignInFixture()
        await fixture.server.change { $0.metadata = ["dpop_signing_alg_values_supported": ["EdDSA"]] }
        let error = await clientError { _ = try await fixture.client.initiateAuthorization(scopes: []) }
        #expect(error?.code == .unsupportedByServer)
    }

    @Test func `trap 10: a pushed request leaves only client_id and request_uri in the URL`() async throws {
        let fixture = try SignInFixture()
        let request = try await fixture.client.initiateAuthorization(scopes: ["a", "b"])
        let query = try FormParameters(decoding: #require(URI(parsing: request.url).query))
        #expect(query.all.map(\.name) == ["client_id", "request_uri"])
        let pushed = try await fixture.server.authorizationParameters(request.url)
        #expect(try pushed.value(for: "scope") == "a b")
        #expect(try pushed.value(for: "response_type") == "code")
        #expect(try pushed.value(for: "client_id") == "my-app")
        #expect(pushed.firstRepeatedName == nil)
    }

    @Test func `trap 10: the nonce retry applies to the pushed request, with a new proof`() async throws {
        let fixture = try SignInFixture()
        await fixture.server.change { $0.tokenNonces = .fixed("n1") }
        _ = try await fixture.client.initiateAuthorization(scopes: [])
        let proofs = await fixture.server.proofs
        #expect(proofs.map(\.nonce) == [nil, "n1"])
        #expect(proofs[0].id != proofs[1].id)
    }

    @Test func `without a PAR endpoint the parameters go into the URL, after what is there`() async throws {
        let fixture = try SignInFixture()
        await fixture.server.change {
            $0.offersPAR = false
            $0.metadata = ["authorization_endpoint": "https://auth.example/authorize?tenant=7"]
        }
        let request = try await fixture.client.initiateAuthorization(scopes: [])
        let query = try FormParameters(decoding: #require(URI(parsing: request.url).query))
        #expect(query.all.first == FormParameters.Parameter(name: "tenant", value: "7"))
        #expect(try query.value(for: "dpop_jkt") != nil)
        #expect(await fixture.server.requests(to: "/par").isEmpty)
    }

    @Test func `a server that requires PAR without an endpoint for it is rejected`() async throws {
        let fixture = try SignInFixture()
        await fixture.server.change {
            $0.offersPAR = false
            $0.metadata = ["require_pushed_authorization_requests": true]
        }
        let error = await clientError { _ = try await fixture.client.initiateAuthorization(scopes: []) }
        #expect(error?.code == .unsupportedByServer)
    }

    @Test func `trap 11: dpop_jkt is the key of the proof on the pushed request`() async throws {
        let fixture = try SignInFixture()
        let pushed = try await parameters(fixture)
        let alias = try KeyAlias("dpop-" + fixture.client.account.identifier)
        let key = try #require(try await fixture.keyStore.load(alias))
        #expect(try pushed.value(for: "dpop_jkt") == key.publicKey.thumbprint.description)
        #expect(await fixture.server.proofs.map(\.thumbprint) == [key.publicKey.thumbprint.description])
        #expect(await fixture.server.violations == [])
    }

    @Test func `trap 15: characters that mean something in a form arrive as they were`() async throws {
        let fixture = try SignInFixture(redirectURI: "https://app.example/cb?a=b&c=d+e~")
        let request = try await fixture.client.initiateAuthorization(
            scopes: ["a+b", "c&d=e"],
            options: AuthorizationOptions(additionalParameters: ["login_hint": "a+b c~d/e?f&g=h;i ü"])
        )
        let pushed = try await fixture.server.authorizationParameters(request.url)
        #expect(try pushed.value(for: "scope") == "a+b c&d=e")
        #expect(try pushed.value(for: "login_hint") == "a+b c~d/e?f&g=h;i ü")
        #expect(try pushed.value(for: "redirect_uri") == "https://app.example/cb?a=b&c=d+e~")
    }

    @Test(arguments: ["state", "code_challenge_method", "redirect_uri", "request", "response_mode", "dpop_jkt"])
    func `a parameter that the client sets itself cannot be given`(_ name: String) async throws {
        let fixture = try SignInFixture()
        let error = await clientError {
            var additional = FormParameters()
            additional.append(name, "x")
            _ = try await fixture.client.initiateAuthorization(
                scopes: [],
                options: AuthorizationOptions(additionalParameters: additional)
            )
        }
        #expect(error?.code == .invalidArgument)
    }

    @Test(arguments: ["https://other.example/callback", "http://127.0.0.1:4000/other", "com.example.app:/callback"])
    func `another redirect URI than the client's own is rejected`(_ redirectURI: String) async throws {
        let fixture = try SignInFixture(redirectURI: "http://127.0.0.1/callback")
        let error = await clientError {
            _ = try await fixture.client.initiateAuthorization(scopes: [], redirectURI: redirectURI)
        }
        #expect(error?.code == .invalidArgument)
    }

    @Test func `trap 13: on the loopback address any port will do`() async throws {
        let fixture = try SignInFixture(redirectURI: "http://127.0.0.1/callback")
        let request = try await fixture.client.initiateAuthorization(
            scopes: [],
            redirectURI: "http://127.0.0.1:49152/callback"
        )
        let pushed = try await fixture.server.authorizationParameters(request.url)
        #expect(try pushed.value(for: "redirect_uri") == "http://127.0.0.1:49152/callback")
    }

    @Test func `a scope token that is none is rejected before anything is sent`() async throws {
        let fixture = try SignInFixture()
        let error = await clientError { _ = try await fixture.client.initiateAuthorization(scopes: ["a b"]) }
        #expect(error?.code == .invalidArgument)
        #expect(await fixture.server.requests.isEmpty)
    }

    @Test(arguments: [
        ("http://auth.example", OAuthClientError.Code.insecureURL),
        ("http://localhost:8080", .insecureURL),
        ("http://127.0.0.1:8080", .insecureURL),
        ("https://auth.example?x", .invalidArgument),
        ("https://user@auth.example", .invalidArgument),
        ("auth.example", .invalidArgument),
    ])
    func `an issuer must be an https URL without query and user`(_ issuer: String, _ code: OAuthClientError.Code) async
    {
        let error = await clientError {
            _ = try OAuth2Client(issuer: issuer, clientID: "my-app", redirectURI: "com.example.app:/callback")
        }
        #expect(error?.code == code)
    }

    @Test func `http is for loopback addresses, and only when asked for by name`() throws {
        _ = try OAuth2Client(
            issuer: "http://127.0.0.1:8080",
            clientID: "my-app",
            redirectURI: "http://127.0.0.1/callback",
            configuration: .allowingInsecureHTTPOnLoopback
        )
        #expect(throws: OAuthClientError.self) {
            try OAuth2Client(
                issuer: "http://auth.example",
                clientID: "my-app",
                redirectURI: "http://127.0.0.1/callback",
                configuration: .allowingInsecureHTTPOnLoopback
            )
        }
    }

    @Test func `trap 65: every account has an identifier of its own`() {
        let accounts = [
            ClientAccount(issuer: "https://a.example", clientID: "b"),
            ClientAccount(issuer: "https://a.example", clientID: "b", name: "second"),
            ClientAccount(issuer: "https://a.example", clientID: "bdefault", name: ""),
            ClientAccount(issuer: "https://a.example/", clientID: "b"),
        ]
        #expect(Set(accounts.map(\.identifier)).count == accounts.count)
        #expect(accounts.allSatisfy { $0.identifier.utf8.count == 43 })
    }
}
