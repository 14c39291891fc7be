// SPDX-License-Identifier: Apache-2.0

import JOSE
import StrictJSON
import TestSupport
import Testing

@Suite("RFC 8725 sections 3.11 and 3.12: no kind of JWT is taken for another")
struct JWTKindTests {
    private let keys: JWKSet
    private let now = JWTKind.now

    init() throws {
        keys = JWKSet([try TestKey.p256().publicKey.named("one", algorithm: .es256)])
    }

    private func code(of token: String, _ validation: JWTValidation) -> JOSEError.Code? {
        errorCode { try validation.validate(token, with: keys, at: now) }
    }

    /// An attestation names neither its issuer nor its audience.
    private func parties(of validation: JWTValidation) -> [String] {
        validation == JWTKind.clientAttestation ? [] : ["iss", "aud"]
    }

    @Test(arguments: JWTKind.accepted)
    func `a token is accepted by the validator of its own kind`(kind: JWTKind) async throws {
        let validation = try #require(kind.validation)
        #expect(try await validation.validate(kind.token(), with: keys, at: now).object == kind.claims)
    }

    @Test(arguments: JWTKind.accepted + JWTKind.foreign)
    func `attacks 108, 112 and 113, a token is rejected by every validator but its own`(kind: JWTKind) async throws {
        let token = try await kind.token()
        for validation in JWTKind.validations where validation != kind.validation {
            // Without a nonce to compare, an id_token of a sign-in is as good as one of a refresh.
            if validation == JWTKind.idTokenOfRefresh, kind.validation == JWTKind.idToken { continue }
            #expect(code(of: token, validation) == .invalidClaim, "\(validation.types)")
        }
    }

    @Test(arguments: JWTKind.accepted + JWTKind.foreign)
    func `attacks 108, 112 and 113, typ alone separates the typed kinds, whoever issuer and audience are`(
        kind: JWTKind
    ) async throws {
        var kind = kind
        for (name, value) in ["iss": JWTKind.server, "aud": JWTKind.server, "sub": JWTKind.server] {
            kind.claims[name] = .string(value)
        }
        for name in ["client_id", "jti", "nonce"] { kind.claims[name] = .string(JWTKind.server) }
        for name in ["iat", "nbf", "exp"] { kind.claims[name] = .number(JSONNumber(JWTKind.time + 5)) }
        let (token, one) = (try await kind.token(), JWTKind.server)
        for var validation in [
            JWTValidation.accessToken(issuer: one, audience: one), .requestObject(clientID: one, issuer: one),
        ] {
            validation.forbiddenClaims = []
            let isOwn = kind.type.map { validation.types.contains($0) } ?? false
            #expect(code(of: token, validation) == (isOwn ? nil : .invalidClaim))
        }
    }

    @Test(arguments: JWTKind.accepted)
    func `each claim that is demanded must be there, and be what it says`(kind: JWTKind) async throws {
        let validation = try #require(kind.validation)
        let strings = validation.requiredStrings.union(validation.requiredValues.keys).union(parties(of: validation))
        for name in strings {
            for value: JSONValue? in [nil, .null, "", 1, true, [:]] {
                let token = try await kind.token { $0[name] = value }
                #expect(code(of: token, validation) == .invalidClaim, "\(name)")
            }
        }
        for name in validation.requiredTimes.union(["exp"]) {
            for value: JSONValue? in [nil, .null, "", "1790000000", true] {
                let token = try await kind.token { $0[name] = value }
                #expect(code(of: token, validation) == .invalidClaim, "\(name)")
            }
        }
        for name in Set(validation.requiredValues.keys).union(parties(of: validation)) {
            let other = (kind.claims[name]?.stringValue ?? "") + "x"
            let token = try await kind.token { $0[name] = .string(other) }
            #expect(code(of: token, validation) == .invalidClaim, "\(name)")
        }
        for name in validation.forbiddenClaims {
            let token = try await kind.token { $0[name] = .string(JWTKind.client) }
            #expect(code(of: token, validation) == .invalidClaim, "\(name)")
        }
    }

    @Test func `RFC 9068 section 2_2, what an access token must carry`() {
        #expect(JWTKind.accessToken.requiredStrings == ["sub", "client_id", "jti"])
        #expect(JWTKind.accessToken.requiredTimes == ["iat"])
    }

    @Test(
        arguments: [
            (["app"], nil, true), (["app"], "app", true), ("app", "app", true), (["app", "other"], "app", true),
            (["app", "other"], nil, false), ("app", "other", false), (["app", "other"], "other", false),
            (["other"], "app", false), ([], "app", false), ("app", 1, false), ("app", .null, false),
        ] as [(JSONValue, JSONValue?, Bool)]
    )
    func `OpenID Connect Core section 3_1_3_7, aud and azp`(
        audience: JSONValue,
        party: JSONValue?,
        isAccepted: Bool
    ) async throws {
        let token = try await JWTKind.accepted[1].token {
            $0["aud"] = audience
            $0["azp"] = party
        }
        #expect((code(of: token, JWTKind.idToken) == nil) == isAccepted)
    }

    @Test func `attack 50, aud of an assertion is the issuer as a string`() async throws {
        let audiences: [JSONValue] = [
            ["https://auth.example.com"], ["https://auth.example.com", "x"], "https://auth.example.com/token",
            "https://auth.example.com/", "https://auth.example.com/par", [],
        ]
        for audience in audiences {
            let token = try await JWTKind.accepted[3].token { $0["aud"] = audience }
            #expect(code(of: token, JWTKind.clientAssertion) == .invalidClaim)
        }
        let list = try await JWTKind.accepted[6].token { $0["aud"] = ["https://auth.example.com"] }
        #expect(code(of: list, JWTKind.requestObject) == nil)
    }

    @Test(
        arguments: [
            ("exp", -9, nil), ("exp", -10, .expired), ("exp", -300, .expired), ("exp", 610, nil),
            ("exp", 611, .invalidClaim), ("exp", 9_000_000_000, .invalidClaim), ("iat", 10, nil),
            ("iat", 11, .notYetValid), ("iat", 61, .notYetValid), ("nbf", 8, nil), ("nbf", 61, .notYetValid),
        ] as [(String, Int64, JOSEError.Code?)]
    )
    func `attack 52, the times of an assertion`(name: String, offset: Int64, expected: JOSEError.Code?) async throws {
        let token = try await JWTKind.accepted[3].token { $0[name] = .number(JSONNumber(JWTKind.time + offset)) }
        #expect(code(of: token, JWTKind.clientAssertion) == expected)
    }

    @Test(
        arguments: [
            ("exp", -10, .expired), ("exp", 3610, nil), ("exp", 3611, .invalidClaim), ("nbf", -3610, nil),
            ("nbf", -3611, .expired), ("nbf", 10, nil), ("nbf", 61, .notYetValid), ("iat", -3611, .expired),
        ] as [(String, Int64, JOSEError.Code?)]
    )
    func `attack 44, the times of a request object`(
        name: String,
        offset: Int64,
        expected: JOSEError.Code?
    ) async throws {
        let token = try await JWTKind.accepted[6].token { $0[name] = .number(JSONNumber(JWTKind.time + offset)) }
        #expect(code(of: token, JWTKind.requestObject) == expected)
    }

    @Test func `a typ that is no string is not a missing one`() async throws {
        for type: JSONValue in [.null, 1, ["JWT"], true, "", "at+jwt"] {
            let token = try await RawJWS.sign(
                header: JSONValue.object(["alg": "ES256", "typ": type]).encoded(),
                payload: JSONValue.object(JWTKind.accepted[1].claims).encoded(),
                with: TestKey.p256()
            )
            #expect(code(of: token, JWTKind.idToken) == .invalidClaim)
        }
    }
}

@Suite("OpenID Connect Core section 9: client_secret_jwt")
struct ClientSecretAssertionTests {
    private let secret: ClientSecretKey
    private let assertion = JWTKind.accepted[4]

    init() throws {
        secret = try ClientSecretKey(secret: [UInt8](repeating: 5, count: 32), algorithm: .hs256)
    }

    private func code(of token: String, with secret: ClientSecretKey? = nil) -> JOSEError.Code? {
        errorCode {
            try JWTKind.clientAssertion.validate(token, with: secret ?? self.secret, at: JWTKind.now)
        }
    }

    private func token(_ kind: JWTKind) -> String {
        secret.authenticate(header: kind.header("HS256"), payload: JSONValue.object(kind.claims).encoded())
    }

    @Test func `an assertion with the client's secret is accepted`() throws {
        let claims = try JWTKind.clientAssertion.validate(token(assertion), with: secret, at: JWTKind.now)
        #expect(claims.tokenID == "a-1")
    }

    @Test func `of another secret or algorithm, changed, or too late it is rejected`() throws {
        let other = try ClientSecretKey(secret: [UInt8](repeating: 6, count: 32), algorithm: .hs256)
        let longer = try ClientSecretKey(secret: [UInt8](repeating: 5, count: 64), algorithm: .hs512)
        #expect(code(of: token(assertion), with: other) == .invalidSignature)
        #expect(code(of: token(assertion), with: longer) == .algorithmNotAllowed)
        #expect(code(of: try RawJWS.changingSignature(of: token(assertion)) { $0[0] ^= 1 }) == .invalidSignature)
        var late = assertion
        late.claims["exp"] = .number(JSONNumber(JWTKind.time - 60))
        #expect(code(of: token(late)) == .expired)
    }

    @Test(arguments: JWTKind.accepted.filter { $0.validation != JWTKind.clientAssertion } + JWTKind.foreign)
    func `another kind of token with the client's secret is rejected`(kind: JWTKind) {
        #expect(code(of: token(kind)) == .invalidClaim)
    }

    @Test func `attack 53, a code keyed with what everybody knows of a public key is rejected`() async throws {
        let key = try TestKey.p256().publicKey
        let keys = JWKSet([key.named("one", algorithm: .es256), key.named("two", algorithm: nil)])
        for bytes in [JSONValue.object(key.json).encoded(), Array(key.thumbprint.description.utf8)] {
            let forged = try ClientSecretKey(secret: bytes, algorithm: .hs256)
                .authenticate(
                    header: assertion.header("HS256"),
                    payload: JSONValue.object(assertion.claims).encoded()
                )
            var validation = JWTKind.clientAssertion
            #expect(errorCode { try validation.validate(forged, with: keys, at: JWTKind.now) } == .algorithmNotAllowed)
            // Not even for one who puts the name into the list.
            validation.algorithms.insert(SignatureAlgorithm(rawValue: "HS256"))
            #expect(errorCode { try validation.validate(forged, with: keys, at: JWTKind.now) } == .keyNotFound)
            #expect(code(of: forged) == .invalidSignature)
        }
        // And a signature is no code.
        #expect(code(of: try await assertion.token()) == .algorithmNotAllowed)
    }

    @Test func `attack 53, none is rejected with a secret too`() {
        for signature in ["", "AAAA"] {
            let segments = token(assertion).split(separator: ".")
            let header = Base64URL.encode(JSONValue.object(assertion.header("none")).encoded())
            #expect(code(of: "\(header).\(segments[1]).\(signature)") == .algorithmNotAllowed)
        }
    }
}
