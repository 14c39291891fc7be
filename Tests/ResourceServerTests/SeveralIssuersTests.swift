// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthCore
import ResourceServer
import StrictJSON
import TestSupport
import Testing

@Suite("An API with several issuers, RFC 8725 section 3.8")
struct SeveralIssuersTests {
    @Test func `tokens of each issuer are accepted, and users with the same sub are told apart`() async throws {
        let two = try TwoIssuers()
        let own = try #require(try await two.accepted(two.api.accessToken()))
        let partner = try #require(try await two.accepted(two.partnerToken()))
        #expect(own.subject == "ada" && partner.subject == "ada")
        #expect(own.issuer == GuardedAPI.issuer)
        #expect(partner.issuer == TwoIssuers.partner)
        #expect(two.ownKeys.questions == 1 && two.partnerKeys.questions == 1)
    }

    @Test func `attack: a key of one issuer signs a token that names the other`() async throws {
        // Both keys have the same kid; without one, every key of the issuer is tried.
        for header in [["typ": "at+jwt", "kid": "key-1"], ["typ": "at+jwt"]] as [JSONObject] {
            let two = try TwoIssuers()
            try await two.api.expectRefusal(
                of: try await two.api.accessToken(header: header, signedBy: two.partnerKey)
            )
            #expect(two.partnerKeys.questions == 0)
            let mixed = try await two.api.accessToken(header: header) { $0["iss"] = .string(TwoIssuers.partner) }
            try await two.api.expectRefusal(of: mixed)
            #expect(two.ownKeys.questions == 1 && two.partnerKeys.questions == 1)
        }
    }

    @Test(
        arguments: [
            "https://evil.example", "https://auth.example.com/", "https://AUTH.example.com",
            "https://partner.example.org/", "https://partner.example.org.evil.example", "https://partner.example",
            " https://partner.example.org", "", nil, .null, 1, ["https://partner.example.org"],
            ["iss": "https://partner.example.org"],
        ] as [JSONValue?]
    )
    func `attack: an issuer that is not accepted to the last byte, whose keys nobody asks for`(
        issuer: JSONValue?
    ) async throws {
        let two = try TwoIssuers()
        for key in [two.api.issuerKey, two.partnerKey] {
            try await two.api.expectRefusal(
                of: try await two.api.accessToken(signedBy: key) { $0["iss"] = issuer }
            )
        }
        #expect(two.questions == 0)
    }

    @Test func `attack: another spelling of the same letters is another issuer`() async throws {
        let composed = "https://partner.example.org/caf\u{E9}"
        let two = try TwoIssuers(partner: composed)
        #expect(try await two.accepted(two.partnerToken { $0["iss"] = .string(composed) })?.issuer == composed)
        let decomposed = "https://partner.example.org/cafe\u{301}"
        #expect(try await two.status(two.partnerToken { $0["iss"] = .string(decomposed) }) == 401)
        #expect(two.questions == 1)
    }

    @Test(
        arguments: [
            (GuardedAPI.issuer, TwoIssuers.partner), (TwoIssuers.partner, GuardedAPI.issuer),
            (TwoIssuers.partner, TwoIssuers.partner),
        ]
    )
    func `attack: iss twice`(first: String, second: String) async throws {
        let two = try TwoIssuers()
        let rest = JSONValue.object(two.api.tokenClaims { $0["iss"] = .string(second) }).encoded().dropFirst()
        let payload: [UInt8] = Array(#"{"iss":"\#(first)","#.utf8) + rest
        let header = Array(#"{"typ":"at+jwt","kid":"key-1","alg":"ES256"}"#.utf8)
        for key in [two.api.issuerKey, two.partnerKey] {
            try await two.api.expectRefusal(of: try await RawJWS.sign(header: header, payload: payload, with: key))
        }
        #expect(two.questions == 0)
    }

    @Test func `attack: iss is changed after the signature`() async throws {
        let two = try TwoIssuers()
        let (own, partner) = (try await two.api.accessToken(), try await two.partnerToken())
        #expect(try await two.status(own) == 200)
        #expect(try await two.status(partner) == 200)
        let (first, second) = (own.split(separator: "."), partner.split(separator: "."))
        // Both were remembered: with the claims of the other, neither is the same token.
        #expect(try await two.status("\(first[0]).\(second[1]).\(first[2])") == 401)
        #expect(try await two.status("\(second[0]).\(first[1]).\(second[2])") == 401)
    }

    @Test func `an issuer out of reach does not stop the tokens of the other`() async throws {
        let two = try TwoIssuers()
        let remembered = try await two.partnerToken()
        #expect(try await two.status(remembered) == 200)
        two.partnerKeys.use(nil)
        for token in [remembered, try await two.partnerToken { $0["jti"] = "token-2" }] {
            #expect(try await two.status(token) == 503)
        }
        #expect(try await two.status(two.api.accessToken()) == 200)
        two.ownKeys.use(nil)
        two.partnerKeys.use(TwoIssuers.published(two.partnerKey))
        #expect(try await two.status(remembered) == 200)
        #expect(try await two.status(two.api.accessToken { $0["jti"] = "token-2" }) == 503)
    }

    @Test func `attack: a remembered token whose key now belongs to the other issuer only`() async throws {
        let two = try TwoIssuers()
        let token = try await two.partnerToken()
        #expect(try await two.status(token) == 200)
        two.ownKeys.use(TwoIssuers.published(two.partnerKey))
        two.partnerKeys.use(TwoIssuers.published(two.api.issuerKey))
        #expect(try await two.status(token) == 401)
    }
}

@Suite("The rules of each of several issuers")
struct IssuerRulesTests {
    @Test func `the profile of one issuer does not apply to the other`() async throws {
        let two = try TwoIssuers { $0.tokenProfile = .jwtWithoutExplicitType }
        let header: JSONObject = ["typ": "JWT", "kid": "key-1"]
        let change: (inout JSONObject) -> Void = { claims in
            claims["azp"] = "app"
            for name in ["client_id", "iat", "jti"] { claims[name] = nil }
        }
        let token = try await two.partnerToken(header: header, change)
        // The second time it is remembered, with the claims that the profile gave it.
        for _ in 0..<2 { #expect(try await two.accepted(token)?.clientID == "app") }
        #expect(try await two.status(two.api.accessToken(header: header)) == 401)
        #expect(try await two.status(two.api.accessToken(header: header, change)) == 401)
        #expect(try await two.status(two.api.accessToken(change)) == 401)
    }

    @Test func `the audience of one issuer does not apply to the other`() async throws {
        let two = try TwoIssuers { $0.audience = "notes-api" }
        #expect(try await two.status(two.partnerToken { $0["aud"] = "notes-api" }) == 200)
        #expect(try await two.status(two.partnerToken()) == 401)
        #expect(try await two.status(two.api.accessToken { $0["aud"] = "notes-api" }) == 401)
        #expect(try await two.status(two.api.accessToken()) == 200)
    }

    @Test func `without an audience of its own an issuer has that of the API`() async throws {
        let two = try TwoIssuers(configuration: { $0.audience = "urn:notes" })
        #expect(try await two.status(two.partnerToken { $0["aud"] = "urn:notes" }) == 200)
        #expect(try await two.status(two.partnerToken()) == 401)
    }

    @Test func `the algorithms of one issuer do not apply to the other`() async throws {
        let two = try TwoIssuers { $0.tokenAlgorithms = [.rs256] }
        #expect(try await two.status(two.partnerToken()) == 401)
        #expect(try await two.status(two.api.accessToken()) == 200)
    }

    @Test func `RFC 9728 section 2: the metadata list every issuer`() throws {
        let two = try TwoIssuers(configuration: { $0.metadata = PublishedMetadata() })
        #expect(two.api.requestGuard.metadata?.authorizationServers == [GuardedAPI.issuer, TwoIssuers.partner])
        let request = HTTPRequest(target: "/.well-known/oauth-protected-resource")
        let response = try #require(two.api.requestGuard.metadataResponse(to: request))
        let document = try JSONValue(parsing: response.body).objectValue
        let expected = JSONValue.strings([GuardedAPI.issuer, TwoIssuers.partner])
        #expect(document?["authorization_servers"] == expected)
    }

    @Test(arguments: [GuardedAPI.issuer, ""])
    func `attack: an issuer that is listed twice, or empty, has no keys of its own`(name: String) {
        let error = #expect(throws: ResourceServerError.self) { try TwoIssuers(partner: name) }
        #expect(error?.code == .invalidConfiguration)
    }

    @Test func `introspection with several issuers is an error`() throws {
        var configuration = GuardConfiguration(
            issuer: GuardedAPI.issuer,
            address: try URI(parsing: GuardedAPI.address)
        )
        configuration.furtherIssuers = [AcceptedIssuer(issuer: TwoIssuers.partner, keys: IssuerKeySource(nil))]
        let several = configuration
        let error = #expect(throws: ResourceServerError.self) {
            try IntrospectingAccessTokens(
                several,
                endpoint: URI(parsing: "https://auth.example.com/introspect"),
                clientID: "api",
                clientSecret: ClientSecret("secret"),
                transport: NoTransport()
            )
        }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.reason.contains("one issuer only") == true)
    }
}

/// Is never asked for anything.
private struct NoTransport: HTTPTransport {
    func send(_ request: HTTPRequest, maximumBodySize: Int) async throws(OAuthCoreError) -> HTTPResponse {
        throw OAuthCoreError(.transportFailed, "nothing answers")
    }
}
