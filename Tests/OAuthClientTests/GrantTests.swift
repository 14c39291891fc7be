// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import HTTPMessage
import JOSE
import OAuthClient
import OAuthCore
import OAuthSystem
import StrictJSON
import TestSupport
import Testing

@Suite("RFC 6749 section 4.4, RFC 7523, RFC 8628, RFC 8693: grants without a browser, over real sockets")
struct GrantTests {
    @Test(arguments: BrowserlessGrant.allCases)
    func `tokens are bound to the key of the proof`(_ grant: BrowserlessGrant) async throws {
        let fixture = try GrantFixture.withPrivateKey()
        let tokens = try #require(try await grant.run(fixture))
        #expect(tokens.accessToken.value == "granted")
        #expect(tokens.tokenType == .dpop)
        #expect(tokens.keyThumbprint?.description == fixture.server.proofs.last?.thumbprint)
        #expect(tokens.expiresAt == Timestamp(secondsSince1970: 1_790_000_300))
        let received = try #require(fixture.server.received(at: "/token").last)
        #expect(try received.value("grant_type") == grant.rawValue)
        #expect(fixture.server.violations == [])
    }

    @Test(arguments: BrowserlessGrant.allCases)
    func `trap 20: a missing scope means as requested, a given one counts`(_ grant: BrowserlessGrant) async throws {
        let fixture = try GrantFixture.withPrivateKey()
        #expect(try await grant.run(fixture)?.scope == Scope(["a", "b"]))
        fixture.server.change { $0.tokenMembers["scope"] = "a" }
        #expect(try await grant.run(fixture)?.scope == Scope(["a"]))
        let path = grant == .device ? "/device" : "/token"
        #expect(try fixture.server.received(at: path).first?.value("scope") == "a b")
    }

    @Test(arguments: BrowserlessGrant.allCases)
    func `trap 36 and 41: a demanded nonce leads to one more request with all that is one-time made new`(
        _ grant: BrowserlessGrant
    ) async throws {
        let fixture = try GrantFixture.withPrivateKey()
        fixture.server.change { $0.nonce = "n1" }
        _ = try await grant.run(fixture)
        let requests = fixture.server.received(at: "/token")
        #expect(requests.count == 2)
        #expect(Set(requests.map { $0.request.fields["DPoP"] }).count == 2)
        #expect(try Set(requests.map { try $0.value("client_assertion") }).count == 2)
        let fixed = requests.map { $0.form.all.filter { $0.name != "client_assertion" } }
        #expect(fixed.first == fixed.last)
        #expect(fixture.server.proofs.map(\.nonce) == [nil, "n1"])
        #expect(fixture.server.violations == [])
    }

    @Test(arguments: BrowserlessGrant.allCases)
    func `trap 37: a nonce that is never good leads to one other try`(_ grant: BrowserlessGrant) async throws {
        let fixture = try GrantFixture.withPrivateKey()
        fixture.server.change {
            $0.nonce = "n1"
            $0.instead["/token"] = Array(repeating: .error(400, "use_dpop_nonce"), count: 5)
        }
        #expect(await grant.error(fixture)?.answer?.error == .useDPoPNonce)
        #expect(fixture.server.received(at: "/token").count == 2)
    }

    @Test(arguments: BrowserlessGrant.allCases)
    func `trap 39: the nonce of a success is in the next proof`(_ grant: BrowserlessGrant) async throws {
        let fixture = try GrantFixture.withPrivateKey()
        var answer = HTTPResponse.json(
            200,
            [
                "access_token": "granted", "token_type": "DPoP",
                "issued_token_type": .string(TokenTypeIdentifier.accessToken.rawValue),
            ]
        )
        answer.fields["DPoP-Nonce"] = "n0"
        fixture.server.change { $0.instead["/token"] = [answer] }
        _ = try await grant.run(fixture)
        _ = try await grant.run(fixture)
        #expect(fixture.server.proofs.map(\.nonce) == [nil, "n0"])
    }

    @Test func `trap 40: client credentials cannot be spent, and so nothing is sent before them`() async throws {
        let fixture = try GrantFixture.withPrivateKey { $0.asksForNonceBeforeGrants = true }
        _ = try await fixture.client.requestClientCredentialsTokens()
        #expect(fixture.server.received(at: "/token").count == 1)
    }

    @Test(arguments: BrowserlessGrant.allCases.filter { $0 != .clientCredentials })
    func `trap 40: no grant is sent before the nonce is known, when told so`(_ grant: BrowserlessGrant) async throws {
        let fixture = try GrantFixture.withPrivateKey { $0.asksForNonceBeforeGrants = true }
        fixture.server.change {
            $0.nonce = "n1"
            $0.instead["/token"] = [.error(400, "invalid_request")]
        }
        _ = try await grant.run(fixture)
        let requests = fixture.server.received(at: "/token")
        let secret = ["device_code", "subject_token", "assertion"]
        #expect(requests.dropLast().allSatisfy { !$0.form.all.contains { secret.contains($0.name) } })
        #expect(fixture.server.proofs.last?.nonce == "n1")
    }

    @Test(arguments: BrowserlessGrant.allCases)
    func `trap 54: Bearer tokens in place of bound ones are thrown away`(_ grant: BrowserlessGrant) async throws {
        let fixture = try GrantFixture.withPrivateKey()
        fixture.server.change { $0.tokenMembers = ["token_type": "Bearer"] }
        #expect(await grant.error(fixture)?.code == .tokenTypeRejected)
    }

    @Test(arguments: BrowserlessGrant.allCases)
    func `trap 20: an unknown token type is unusable`(_ grant: BrowserlessGrant) async throws {
        let fixture = try GrantFixture.withPrivateKey { $0.tokenBoundConfiguration = .acceptingBearerTokens }
        fixture.server.change { $0.tokenMembers = ["token_type": "mac"] }
        #expect(await grant.error(fixture)?.code == .tokenTypeRejected)
    }

    @Test(arguments: BrowserlessGrant.allCases)
    func `trap 21: a refusal keeps code and status`(_ grant: BrowserlessGrant) async throws {
        let fixture = try GrantFixture.withPrivateKey()
        fixture.server.change { $0.instead["/token"] = [.error(400, "invalid_scope")] }
        let error = await grant.error(fixture)
        #expect(error?.code == .serverRejected)
        #expect(error?.answer?.error == .invalidScope)
        #expect(error?.status == 400)
    }

    @Test(arguments: BrowserlessGrant.allCases)
    func `trap 21: an answer that is no JSON is malformed`(_ grant: BrowserlessGrant) async throws {
        let fixture = try GrantFixture.withPrivateKey()
        fixture.server.change { $0.instead["/token"] = [HTTPResponse(status: 200, body: Array("<html>".utf8))] }
        #expect(await grant.error(fixture)?.code == .malformedResponse)
    }

    @Test(arguments: BrowserlessGrant.allCases)
    func `trap 34: goes no further when the server takes no proofs of the key`(_ grant: BrowserlessGrant) async throws {
        let fixture = try GrantFixture.withPrivateKey()
        fixture.server.change { $0.metadata = ["dpop_signing_alg_values_supported": ["EdDSA"]] }
        #expect(await grant.error(fixture)?.code == .unsupportedByServer)
        #expect(fixture.server.received(at: "/token").isEmpty)
    }

    @Test(arguments: BrowserlessGrant.allCases)
    func `a scope token that is none is rejected before anything is sent`(_ grant: BrowserlessGrant) async throws {
        let fixture = try GrantFixture.withPrivateKey()
        let error = await clientError { _ = try await grant.run(fixture, scopes: ["a b"]) }
        #expect(error?.code == .invalidArgument)
    }

    @Test func `tokens of a grant make a session`() async throws {
        let fixture = try GrantFixture.withPrivateKey()
        let session = try await fixture.client.startSession(with: fixture.client.requestClientCredentialsTokens())
        #expect(try await session.tokenManager.fetch().accessToken.value == "granted")
    }

    @Test func `further parameters go along, several times where that has a meaning`() async throws {
        let fixture = try GrantFixture.withPrivateKey()
        _ = try await fixture.client.requestClientCredentialsTokens(
            additionalParameters: ["audience": "https://api.example/?a=b&c"]
        )
        let received = try #require(fixture.server.received(at: "/token").first)
        #expect(try received.value("audience") == "https://api.example/?a=b&c")
    }

    @Test(arguments: ["grant_type", "scope", "client_id", "client_assertion", "client_secret", "assertion"])
    func `a parameter that the client sets itself cannot be given`(_ name: String) async throws {
        let fixture = try GrantFixture.withPrivateKey()
        let error = await clientError {
            var additional = FormParameters()
            additional.append(name, "x")
            _ = try await fixture.client.exchangeJWTAssertion("e.30.x", additionalParameters: additional)
        }
        #expect(error?.code == .invalidArgument)
        #expect(fixture.server.received(at: "/token").isEmpty)
    }

    // MARK: RFC 6749 section 4.4

    @Test func `a public client gets no tokens for itself`() async throws {
        let fixture = try GrantFixture(.none)
        let error = await clientError { _ = try await fixture.client.requestClientCredentialsTokens() }
        #expect(error?.code == .invalidArgument)
    }

    @Test func `a client without a redirect URI gets tokens, and cannot sign anybody in`() async throws {
        let server = try GrantServer()
        var configuration = OAuth2ClientConfiguration.allowingInsecureHTTPOnLoopback
        configuration.clientAuthentication = .clientSecretBasic(ClientSecret("secret"))
        let client = try OAuth2Client(issuer: server.issuer, clientID: "service", configuration: configuration)
        _ = try await client.requestClientCredentialsTokens()
        let error = await clientError { _ = try await client.initiateAuthorization(scopes: []) }
        #expect(error?.code == .invalidArgument)
        let callback = await clientError { _ = try await client.parseAuthorizationResponse("app:/?state=x") }
        #expect(callback?.code == .unrelatedCallback)
    }

    // MARK: RFC 7523 section 2.1

    @Test func `an assertion is sent as it is`() async throws {
        let fixture = try GrantFixture(.none)
        _ = try await fixture.client.exchangeJWTAssertion("e30.e30.AA-_")
        #expect(try fixture.server.received(at: "/token").first?.value("assertion") == "e30.e30.AA-_")
        let error = await clientError { _ = try await fixture.client.exchangeJWTAssertion("") }
        #expect(error?.code == .invalidArgument)
    }

    // MARK: RFC 8693

    private static let subject = SecurityToken("sub+ject", type: .accessToken)

    @Test func `subject, actor and what is asked for are named with their types`() async throws {
        let fixture = try GrantFixture.withPrivateKey()
        fixture.server.change { $0.tokenMembers = ["issued_token_type": "urn:ietf:params:oauth:token-type:jwt"] }
        let result = try await fixture.client.exchangeToken(
            Self.subject,
            actor: SecurityToken("actor", type: .idToken),
            requesting: .jwt,
            additionalParameters: ["audience": "other"]
        )
        #expect(result.issued == SecurityToken("granted", type: .jwt))
        #expect(result.tokens?.accessToken.value == "granted")
        let received = try #require(fixture.server.received(at: "/token").first)
        for (name, value) in [
            ("subject_token", "sub+ject"), ("subject_token_type", TokenTypeIdentifier.accessToken.rawValue),
            ("actor_token", "actor"), ("actor_token_type", TokenTypeIdentifier.idToken.rawValue),
            ("requested_token_type", TokenTypeIdentifier.jwt.rawValue), ("audience", "other"),
        ] { #expect(try received.value(name) == value) }
    }

    @Test func `what is no access token is given as it is, when it was asked for`() async throws {
        let fixture = try GrantFixture.withPrivateKey()
        fixture.server.change {
            $0.tokenMembers = ["token_type": "N_A", "issued_token_type": "urn:ietf:params:oauth:token-type:saml2"]
        }
        let result = try await fixture.client.exchangeToken(Self.subject, requesting: .saml2)
        #expect(result.tokens == nil)
        #expect(result.issued.type == .saml2)
        #expect(result.expiresAt == Timestamp(secondsSince1970: 1_790_000_300))
    }

    @Test(arguments: [nil, TokenTypeIdentifier.accessToken])
    func `trap 54: what is no access token is rejected when none such was asked for`(
        _ requested: TokenTypeIdentifier?
    ) async throws {
        let fixture = try GrantFixture.withPrivateKey()
        fixture.server.change {
            $0.tokenMembers = ["token_type": "N_A", "issued_token_type": "urn:ietf:params:oauth:token-type:jwt"]
        }
        let error = await clientError {
            _ = try await fixture.client.exchangeToken(Self.subject, requesting: requested)
        }
        #expect(error?.code == .tokenTypeRejected)
    }

    @Test func `an answer that does not say what was issued is malformed`() async throws {
        let fixture = try GrantFixture.withPrivateKey()
        let error = await clientError { _ = try await fixture.client.exchangeToken(Self.subject) }
        #expect(error?.code == .malformedResponse)
    }

    @Test func `an empty token is rejected before anything is sent`() async throws {
        let fixture = try GrantFixture.withPrivateKey()
        let empty = SecurityToken("", type: .jwt)
        for (subject, actor) in [(empty, nil), (Self.subject, empty)] {
            let error = await clientError { _ = try await fixture.client.exchangeToken(subject, actor: actor) }
            #expect(error?.code == .invalidArgument)
        }
    }
}
#endif
