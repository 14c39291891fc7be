// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthSystem
import StrictJSON
import TestSupport
import Testing

@Suite("RFC 7519 section 7.2 and RFC 8725 section 3: validating a JWT")
struct JWTValidationTests {
    private static let time: Int64 = 1_790_000_000
    private let now = Timestamp(secondsSince1970: time)
    private let key: SoftwareSigningKey
    private let keys: JWKSet
    private let validation = JWTValidation(
        type: "at+jwt",
        issuer: "https://auth.example.com",
        audience: "https://api.example.com"
    )
    private let claims: JSONObject = [
        "iss": "https://auth.example.com", "aud": "https://api.example.com", "exp": .number(JSONNumber(time + 60)),
        "iat": .number(JSONNumber(time)), "nbf": .number(JSONNumber(time)), "sub": "user", "jti": "one",
    ]

    init() throws {
        key = try TestKey.p256()
        keys = JWKSet([key.publicKey.named("one", algorithm: .es256)])
    }

    private func token(
        header: JSONObject = ["typ": "at+jwt", "alg": "ES256", "kid": "one"],
        changing name: String? = nil,
        to value: JSONValue? = nil,
        signedBy other: SoftwareSigningKey? = nil
    ) async throws -> String {
        var claims = claims
        if let name { claims[name] = value }
        return try await RawJWS.sign(
            header: JSONValue.object(header).encoded(),
            payload: JSONValue.object(claims).encoded(),
            with: other ?? key
        )
    }

    private func code(of token: String, keys: JWKSet? = nil, at now: Timestamp? = nil) -> JOSEError.Code? {
        errorCode { try validation.validate(token, with: keys ?? self.keys, at: now ?? self.now) }
    }

    @Test func `a good token gives its claims`() async throws {
        let claims = try await validation.validate(token(), with: keys, at: now)
        #expect(claims.issuer == "https://auth.example.com")
        #expect(claims.audience == ["https://api.example.com"])
        #expect(claims.subject == "user")
        #expect(claims.tokenID == "one")
        #expect(claims.expiresAt == now + .seconds(60))
        #expect(claims.issuedAt == now)
        #expect(claims.notBefore == now)
        #expect(claims.string("sub") == "user")
        #expect(claims.string("exp") == nil)
        #expect(claims.object == self.claims)
    }

    @Test(arguments: ["at+jwt", "AT+JWT", "application/at+jwt", "Application/At+JWT"])
    func `accepts the type in every spelling of a media type`(type: String) async throws {
        #expect(code(of: try await token(header: ["typ": .string(type), "alg": "ES256"])) == nil)
    }

    @Test(
        arguments: [
            nil, "JWT", "jwt", "dpop+jwt", "", "at+jwtx", "xat+jwt", "at+jwt ", "application/",
            "application/application/at+jwt",
            "text/at+jwt", "at+jwt;a=b", "at+\u{212A}wt", 1, .null, ["at+jwt"],
        ] as [JSONValue?]
    )
    func `attack 108, another kind of token is rejected by its type`(type: JSONValue?) async throws {
        var header: JSONObject = ["alg": "ES256"]
        header["typ"] = type
        #expect(code(of: try await token(header: header)) == .invalidClaim)
    }

    @Test(arguments: ["none", "None", "HS256", "RS256", "ES384", "es256", ""])
    func `attack 109, an algorithm that is not allowed`(algorithm: String) async throws {
        let header: JSONObject = ["typ": "at+jwt", "alg": .string(algorithm)]
        #expect(code(of: try await token(header: header)) == .algorithmNotAllowed)
    }

    @Test func `attack 109, an allowed algorithm that no key fits`() async throws {
        var validation = validation
        validation.algorithms = [SignatureAlgorithm(rawValue: "HS256")]
        let text = try await token(header: ["typ": "at+jwt", "alg": "HS256"])
        #expect(errorCode { try validation.validate(text, with: keys, at: now) } == .keyNotFound)
    }

    @Test(
        arguments: [
            nil, "https://auth.example.com/", "https://AUTH.example.com", "http://auth.example.com",
            "https://auth.example.co",
            "", 1, ["https://auth.example.com"],
        ] as [JSONValue?]
    )
    func `attack 108, another issuer, byte by byte`(issuer: JSONValue?) async throws {
        #expect(code(of: try await token(changing: "iss", to: issuer)) == .invalidClaim)
    }

    @Test func `attack 108, an issuer that only looks alike`() async throws {
        let validation = JWTValidation(type: "at+jwt", issuer: "https://\u{212A}.example", audience: "a\u{301}")
        let keys = keys
        let tokens = [("https://K.example", "a\u{301}"), ("https://\u{212A}.example", "\u{e1}")]
        for (issuer, audience) in tokens {
            var claims = claims
            claims["iss"] = .string(issuer)
            claims["aud"] = .string(audience)
            let text = try await RawJWS.sign(
                header: Array(#"{"typ":"at+jwt","alg":"ES256"}"#.utf8),
                payload: JSONValue.object(claims).encoded(),
                with: key
            )
            #expect(errorCode { try validation.validate(text, with: keys, at: now) } == .invalidClaim)
        }
    }

    @Test(
        arguments: [
            nil, "https://api.example.com/", "https://other.example", "", [], ["https://other.example"], 1, .null, [:],
            ["https://api.example.com", 1], "https://api.example.com https://other.example",
        ] as [JSONValue?]
    )
    func `attack 107, another audience`(audience: JSONValue?) async throws {
        #expect(code(of: try await token(changing: "aud", to: audience)) == .invalidClaim)
    }

    @Test func `one audience of several is enough`() async throws {
        let several: JSONValue = ["https://other.example", "https://api.example.com"]
        #expect(code(of: try await token(changing: "aud", to: several)) == nil)
    }

    @Test func `attack 110, exp with the leeway of ten seconds`() async throws {
        let text = try await token()
        #expect(code(of: text, at: now + .seconds(69)) == nil)
        #expect(code(of: text, at: now + .milliseconds(69_999)) == nil)
        #expect(code(of: text, at: now + .seconds(70)) == .expired)
        #expect(code(of: text, at: now + .seconds(1 << 40)) == .expired)
    }

    @Test(arguments: ["nbf", "iat"])
    func `attack 110, a token from the future, with the leeway of ten seconds`(name: String) async throws {
        for (seconds, expected) in [(10, nil), (11, .notYetValid), (1 << 50, .notYetValid)]
            as [(Int64, JOSEError.Code?)]
        {
            let text = try await token(changing: name, to: .number(JSONNumber(Self.time + seconds)))
            #expect(code(of: text) == expected)
        }
    }

    @Test func `nbf and iat may be missing, exp may not`() async throws {
        #expect(code(of: try await token(changing: "nbf", to: nil)) == nil)
        #expect(code(of: try await token(changing: "iat", to: nil)) == nil)
        #expect(code(of: try await token(changing: "exp", to: nil)) == .invalidClaim)
    }

    @Test(arguments: ["exp", "nbf", "iat"])
    func `attack 87, a time of the wrong type or size`(name: String) async throws {
        for value: JSONValue in ["1790000000", .null, true, [], [:], 9_007_199_254_740_994, -9_007_199_254_740_994] {
            #expect(code(of: try await token(changing: name, to: value)) == .invalidClaim)
        }
        #expect(code(of: try await token(changing: name, to: .number(JSONNumber(Int64.max)))) == .invalidClaim)
    }

    @Test(
        arguments: [
            ("9007199254740992", nil), ("-9007199254740992", .expired), ("1790000060.9", nil), ("1.790000060e9", nil),
            ("1e15", nil),
            ("1e16", .invalidClaim), ("1e308", .invalidClaim), ("1e400", .malformedToken), ("-1", .expired),
            ("0", .expired),
            ("1790000000.0", nil), ("1e-400", .expired), ("99999999999999999999999999999999", .invalidClaim),
            ("999999999999999999999999999999999", .malformedToken),
        ] as [(String, JOSEError.Code?)]
    )
    func `exp in every way a number can be written`(number: String, expected: JOSEError.Code?) async throws {
        let text = try await RawJWS.sign(
            header: Array(#"{"typ":"at+jwt","alg":"ES256"}"#.utf8),
            payload: Array(
                #"{"iss":"https://auth.example.com","aud":"https://api.example.com","exp":\#(number)}"#.utf8
            ),
            with: key
        )
        #expect(code(of: text) == expected)
    }

    @Test(arguments: ["sub", "jti"])
    func `a registered claim of the wrong type`(name: String) async throws {
        #expect(code(of: try await token(changing: name, to: 1)) == .invalidClaim)
    }

    @Test func `the key is chosen by kid, and tried when there is none`() async throws {
        let other = try TestKey.p256(2)
        let both = JWKSet([other.publicKey.named("two", algorithm: .es256), key.publicKey.named("one", algorithm: nil)])
        let header = { (kid: JSONValue?) -> JSONObject in
            var header: JSONObject = ["typ": "at+jwt", "alg": "ES256"]
            header["kid"] = kid
            return header
        }
        #expect(code(of: try await token(header: header("one")), keys: both) == nil)
        #expect(code(of: try await token(header: header(nil)), keys: both) == nil)
        #expect(code(of: try await token(header: header("two")), keys: both) == .invalidSignature)
        #expect(code(of: try await token(header: header("three")), keys: both) == .keyNotFound)
        #expect(code(of: try await token(header: header("ONE")), keys: both) == .keyNotFound)
        #expect(code(of: try await token(header: header(1)), keys: both) == .invalidClaim)
        #expect(code(of: try await token(header: header("one")), keys: JWKSet([key.publicKey])) == .keyNotFound)
        #expect(code(of: try await token(header: header(nil)), keys: JWKSet([])) == .keyNotFound)
        #expect(code(of: try await token(signedBy: other), keys: both) == .invalidSignature)
    }

    @Test func `a kid that only looks alike is another one`() async throws {
        let set = JWKSet([key.publicKey.named("\u{212A}", algorithm: .es256)])
        #expect(
            code(of: try await token(header: ["typ": "at+jwt", "alg": "ES256", "kid": "K"]), keys: set) == .keyNotFound
        )
    }

    @Test func `attack 77, a key in the token itself is not used`() async throws {
        let attacker = try TestKey.p256(9)
        let header: JSONObject = [
            "typ": "at+jwt", "alg": "ES256", "jwk": .object(attacker.publicKey.json),
            "jku": "https://attacker.example/",
            "x5u": "https://attacker.example/",
        ]
        #expect(code(of: try await token(header: header, signedBy: attacker)) == .invalidSignature)
    }

    @Test func `attack 112, a proof is no access token`() async throws {
        let header: JSONObject = ["typ": "dpop+jwt", "alg": "ES256", "jwk": .object(key.publicKey.json)]
        #expect(code(of: try await token(header: header)) == .invalidClaim)
    }

    @Test(arguments: ["", "null", "[]", "1", #""{}""#, #"{"iss":"a","iss":"a"}"#, "{} "])
    func `attack 98, the payload is one strict JSON object`(payload: String) async throws {
        let header = Array(#"{"typ":"at+jwt","alg":"ES256"}"#.utf8)
        let text = try await RawJWS.sign(header: header, payload: Array(payload.utf8), with: key)
        #expect([.malformedToken, .invalidClaim].contains(code(of: text)))
    }

    @Test func `the signature is checked before the claims`() async throws {
        let text = try await token(changing: "exp", to: 0, signedBy: TestKey.p256(2))
        #expect(code(of: text) == .invalidSignature)
    }

    @Test func `a token longer than the limit is rejected`() async throws {
        var validation = validation
        let text = try await token()
        validation.maximumLength = text.utf8.count
        #expect(errorCode { try validation.validate(text, with: keys, at: now) } == nil)
        validation.maximumLength -= 1
        #expect(errorCode { try validation.validate(text, with: keys, at: now) } == .malformedToken)
    }
}
