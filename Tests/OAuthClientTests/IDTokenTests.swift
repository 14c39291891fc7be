// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import JOSE
import OAuthClient
import OAuthCore
import OAuthSystem
import StrictJSON
import TestSupport
import Testing

@Suite("OpenID Connect Core section 3.1.3.7: the id_token of a sign-in")
struct IDTokenTests {
    /// The error for one violated rule.
    private func refusal(
        _ options: AuthorizationOptions = AuthorizationOptions(),
        claims: JSONObject = [:],
        header: JSONObject = [:],
        configure: (inout OAuth2ClientConfiguration) -> Void = { _ in },
        rules: @Sendable (inout OpenIDProvider.Rules) -> Void = { _ in }
    ) async throws -> String? {
        let fixture = try await OpenIDFixture(configure)
        await fixture.provider.change {
            $0.claims = claims
            $0.header = header
            rules(&$0)
        }
        return await fixture.refusal(options)
    }

    private func number(_ seconds: Int64) -> JSONValue {
        .number(JSONNumber(FixedClock().now().secondsSince1970 + seconds))
    }

    @Test func `a token that keeps every rule says who signed in`() async throws {
        let fixture = try await OpenIDFixture()
        await fixture.provider.change { $0.claims = ["acr": "2", "amr": ["pwd", "otp"], "azp": "my-app"] }
        let tokens = try await fixture.tokens()
        let idToken = try #require(tokens.idToken)
        #expect(idToken.subject == "alice")
        #expect(idToken.issuer == fixture.provider.base)
        #expect(idToken.audience == ["my-app"])
        #expect(idToken.authorizedParty == "my-app")
        #expect(idToken.authenticationContext == "2")
        #expect(idToken.authenticationMethods == ["pwd", "otp"])
        #expect(idToken.authTime == nil)
        #expect(idToken.issuedAt == fixture.clock.now())
        #expect(idToken.nonce?.utf8.count == 43)
        #expect("\(tokens)".contains(idToken.rawValue) == false)
    }

    @Test func `without the scope openid nothing is asked for and nothing is looked at`() async throws {
        let fixture = try await OpenIDFixture()
        await fixture.provider.change { $0.claims = ["iss": "https://evil.example"] }
        let tokens = try await fixture.tokens(scopes: ["notes"])
        #expect(tokens.idToken == nil)
        #expect(await fixture.provider.count(at: "/jwks") == 0)
    }

    // MARK: Rules

    @Test func `rule 1: an encrypted token is rejected, and said to be one`() async throws {
        let reason = try await refusal(rules: { $0.change = { _ in "eyJhbGciOiJkaXIifQ..aXY.Y3Q.dGFn" } })
        #expect(reason == "the id_token is rejected: it is encrypted, which this client has no key for")
    }

    @Test(arguments: ["https://evil.example", "HTTP://127.0.0.1", ""])
    func `rule 2: iss is the issuer, byte by byte`(_ issuer: String) async throws {
        #expect(try await refusal(claims: ["iss": .string(issuer)])?.contains("'iss' is not") == true)
        #expect(try await refusal(claims: ["iss": .null])?.contains("'iss' is not") == true)
    }

    @Test(arguments: ["other-app", ["other-app"], [], "My-App"] as [JSONValue])
    func `rule 3: aud names this client`(_ audience: JSONValue) async throws {
        #expect(try await refusal(claims: ["aud": audience])?.contains("'aud' does not contain") == true)
    }

    @Test func `rule 3: aud names nobody else, unless the app trusts them`() async throws {
        let claims: JSONObject = ["aud": ["my-app", "other-app"], "azp": "my-app"]
        #expect(try await refusal(claims: claims)?.contains("'aud' names others too") == true)
        #expect(try await refusal(claims: claims, configure: { $0.trustedIDTokenAudiences = ["other-app"] }) == nil)
    }

    @Test func `rule 4: with several audiences azp must be there`() async throws {
        let reason = try await refusal(
            claims: ["aud": ["my-app", "other-app"]],
            configure: { $0.trustedIDTokenAudiences = ["other-app"] }
        )
        #expect(reason?.contains("'azp' is not") == true)
    }

    @Test func `rule 5: azp is this client`() async throws {
        #expect(try await refusal(claims: ["azp": "other-app"])?.contains("'azp' is not") == true)
    }

    @Test func `rule 6: the signature is of the server`() async throws {
        let other = try TestKey.p256(8)
        let forged = try await refusal(rules: { $0.key = other })
        #expect(forged == "the id_token is rejected: the signature does not verify")
        let changed = try await refusal(rules: {
            $0.change = { try? RawJWS.changingSignature(of: $0) { $0[5] ^= 1 } }
        })
        #expect(changed == forged)
    }

    @Test func `rule 7: none is never accepted`() async throws {
        let none = #"{"alg":"none"}"#
        let reason = try await refusal(
            configure: { $0.idTokenAlgorithms.insert(SignatureAlgorithm(rawValue: "none")) },
            rules: {
                $0.change = { token in
                    let payload = token.split(separator: ".")[1]
                    return "\(Base64URL.encode(Array(none.utf8))).\(payload)."
                }
            }
        )
        #expect(reason == "the id_token is rejected: no key of the issuer fits the token")
    }

    @Test func `rule 7: an algorithm that is not allowed is rejected before keys are fetched`() async throws {
        let fixture = try await OpenIDFixture { $0.idTokenAlgorithms = [.edDSA] }
        #expect(await fixture.refusal()?.contains("algorithm of the token is not one of those allowed") == true)
        #expect(await fixture.provider.count(at: "/jwks") == 0)
    }

    @Test func `rule 7: a server that says it signs with nothing acceptable is not signed in at`() async throws {
        let fixture = try await OpenIDFixture()
        await fixture.provider.change { $0.metadata = ["id_token_signing_alg_values_supported": ["HS256", "none"]] }
        let error = await clientError { _ = try await fixture.tokens() }
        #expect(error?.code == .unsupportedByServer)
        _ = try await fixture.tokens(scopes: ["notes"])
    }

    @Test func `rule 8: a code of the client's secret counts only when that was asked for`() async throws {
        let secret = Array("a secret of more than thirty-two bytes, to be sure".utf8)
        let key = try ClientSecretKey(secret: secret, algorithm: .hs256)
        let authenticated: @Sendable (inout OpenIDProvider.Rules) -> Void = {
            $0.change = { token in
                guard let jws = try? CompactJWS(parsing: token) else { return nil }
                return key.authenticate(header: ["typ": "JWT"], payload: jws.payload)
            }
        }
        #expect(try await refusal(rules: authenticated)?.contains("not one of those allowed") == true)
        #expect(try await refusal(configure: { $0.idTokenKeyMadeOfClientSecret = key }, rules: authenticated) == nil)
        let other = try ClientSecretKey(secret: secret.reversed(), algorithm: .hs256)
        let wrong = try await refusal(configure: { $0.idTokenKeyMadeOfClientSecret = other }, rules: authenticated)
        #expect(wrong == "the id_token is rejected: the code does not verify")
        // With a secret, signatures of the server are valid too; the public key is never used as a secret.
        #expect(try await refusal(configure: { $0.idTokenKeyMadeOfClientSecret = key }) == nil)
    }

    @Test func `rule 9: exp lies ahead`() async throws {
        #expect(try await refusal(claims: ["exp": number(-11)])?.contains("has expired") == true)
        #expect(try await refusal(claims: ["exp": number(-5)]) == nil)
        #expect(try await refusal(claims: ["exp": .null])?.contains("'exp' is missing") == true)
    }

    @Test func `rule 10: iat is now, more or less`() async throws {
        #expect(try await refusal(claims: ["iat": number(-700)])?.contains("issued too long ago") == true)
        #expect(try await refusal(claims: ["iat": number(60)])?.contains("issued in the future") == true)
        #expect(try await refusal(claims: ["iat": .null])?.contains("'iat' is missing") == true)
    }

    @Test func `rule 11: nonce is the one of this sign-in`() async throws {
        #expect(try await refusal(claims: ["nonce": "other"])?.contains("'nonce' is not the one") == true)
        #expect(try await refusal(claims: ["nonce": .null])?.contains("'nonce' is missing") == true)
        #expect(try await refusal(claims: ["nonce": 5])?.contains("'nonce' is not a string") == true)
    }

    @Test func `rule 12: an acr that is essential is kept`() async throws {
        var options = AuthorizationOptions()
        options.claims = ClaimsRequest(idToken: ["acr": .essential("3", "4")])
        #expect(try await refusal(options, claims: ["acr": "2"])?.contains("'acr' is none of those") == true)
        #expect(try await refusal(options)?.contains("'acr' is missing") == true)
        #expect(try await refusal(options, claims: ["acr": "4"]) == nil)
        options.claims = ClaimsRequest(idToken: ["acr": .essential])
        #expect(try await refusal(options)?.contains("'acr' is missing") == true)
        #expect(try await refusal(options, claims: ["acr": "0"]) == nil)
        options.claims = ClaimsRequest(idToken: ["acr": .voluntary("3")])
        #expect(try await refusal(options, claims: ["acr": "2"]) == nil)
    }

    @Test func `rule 13: auth_time keeps max_age`() async throws {
        var options = AuthorizationOptions()
        options.maxAge = .seconds(60)
        #expect(try await refusal(options)?.contains("'auth_time' is missing") == true)
        let late = try await refusal(options, claims: ["auth_time": number(-71)])
        #expect(late?.contains("longer ago than 'max_age' allows") == true)
        #expect(try await refusal(options, claims: ["auth_time": number(-69)]) == nil)
        #expect(try await refusal(options, claims: ["auth_time": number(60)])?.contains("lies in the future") == true)
    }

    @Test func `rule 13: a user who takes a while to consent is not too late`() async throws {
        let fixture = try await OpenIDFixture()
        await fixture.provider.change { $0.claims = ["auth_time": number(20)] }
        var options = AuthorizationOptions()
        options.maxAge = .zero
        #expect(await fixture.refusal(options, taking: .seconds(500)) == nil)
        await fixture.provider.change { $0.claims = ["auth_time": number(480)] }
        #expect(await fixture.refusal(options, taking: .seconds(500))?.contains("longer ago") == true)
    }

    @Test func `a logout token is no id_token`() async throws {
        let claims: JSONObject = ["events": ["http://schemas.openid.net/event/backchannel-logout": [:]]]
        #expect(try await refusal(claims: claims)?.contains("belongs to another kind") == true)
        #expect(try await refusal(header: ["typ": "at+jwt"])?.contains("'typ' is not JWT") == true)
        #expect(try await refusal(claims: ["sub": ""])?.contains("'sub'") == true)
    }

    // MARK: Hashes, users, missing tokens

    @Test func `at_hash and c_hash are right when they are there`() async throws {
        #expect(try await refusal(claims: ["at_hash": "mepBHC3fg6XG-Bhg8WNJ4Q"])?.contains("'at_hash' is not") == true)
        #expect(try await refusal(claims: ["c_hash": "mepBHC3fg6XG-Bhg8WNJ4Q"])?.contains("'c_hash' is not") == true)
        #expect(try await refusal(claims: ["at_hash": 5])?.contains("'at_hash' is not a string") == true)
        #expect(try await refusal(claims: ["at_hash": .null]) == nil)
    }

    /// The hashes were made with Python's hashlib.
    @Test(arguments: [
        (SignatureAlgorithm.es256, "mepBHC3fg6XG-Bhg8WNJ4Q"), (.es384, "mIlK997lfYwVTl4Riks7EYLyx7Qtn9Ts"),
        (.edDSA, "5lztV7oRDVEc6v1V5cSv459P7rILxO7nBBOfCkaPXiE"),
        (.ed25519, "5lztV7oRDVEc6v1V5cSv459P7rILxO7nBBOfCkaPXiE"),
    ])
    func `at_hash is made with the hash function of the algorithm`(
        _ algorithm: SignatureAlgorithm,
        _ hash: String
    ) async throws {
        let key = try SoftwareSigningKey(generating: algorithm)
        for (value, isRight) in [(hash, true), (String(hash.dropLast()) + "A", false)] {
            let reason = try await refusal(
                claims: ["at_hash": .string(value)],
                rules: {
                    $0.key = key
                    $0.keys = JWKSet([key.publicKey.named("k1", algorithm: nil)])
                    $0.tokenMembers = ["access_token": "access-token-of-forty-three-characters-or-more-1"]
                }
            )
            #expect((reason == nil) == isRight)
        }
    }

    @Test func `section 5.5.1: another user than was asked for is rejected`() async throws {
        var options = AuthorizationOptions()
        options.claims = ClaimsRequest(idToken: ["sub": .voluntary("bob")])
        #expect(try await refusal(options)?.contains("'sub' is another user") == true)
        let fixture = try await OpenIDFixture()
        options = AuthorizationOptions()
        options.idTokenHint = try await fixture.tokens().idToken
        #expect(await fixture.refusal(options) == nil)
        await fixture.provider.change { $0.claims = ["sub": "mallory"] }
        #expect(await fixture.refusal(options)?.contains("'sub' is another user") == true)
    }

    @Test func `an id_token that is missing although openid was granted is rejected, and the tokens revoked`()
        async throws
    {
        let fixture = try await OpenIDFixture()
        await fixture.provider.change { $0.change = { _ in nil } }
        #expect(await fixture.refusal() == "the server granted the sign-in and sent no id_token")
        let revoked = try await fixture.provider.forms(at: "/revoke")
        #expect(revoked.count == 1)
        #expect(try revoked.first?.value(for: "token")?.hasPrefix("refresh-") == true)
        await fixture.provider.change { $0.tokenMembers = ["scope": "notes"] }
        #expect(try await fixture.tokens(scopes: ["openid", "notes"]).idToken == nil)
    }

    @Test func `what an id_token must say is not got round by not granting openid`() async throws {
        var options = Array(repeating: AuthorizationOptions(), count: 3)
        options[0].maxAge = .zero
        options[1].claims = ClaimsRequest(idToken: ["acr": .essential])
        options[2].claims = ClaimsRequest(idToken: ["sub": .voluntary("alice")])
        let fixture = try await OpenIDFixture()
        await fixture.provider.change {
            $0.change = { _ in nil }
            $0.tokenMembers = ["scope": "notes"]
        }
        for options in options {
            #expect(await fixture.refusal(options)?.contains("sent no id_token") == true)
        }
        #expect(await fixture.provider.count(at: "/revoke") == 3)
    }

    @Test func `tokens with a bad id_token are revoked`() async throws {
        let fixture = try await OpenIDFixture()
        await fixture.provider.change { $0.claims = ["nonce": "stolen"] }
        #expect(await fixture.refusal() != nil)
        #expect(await fixture.provider.count(at: "/revoke") == 1)
    }

    // MARK: Keys

    @Test func `a key that is new is found, though not fetched at every unknown name`() async throws {
        let fixture = try await OpenIDFixture()
        _ = try await fixture.tokens()
        _ = try await fixture.tokens()
        #expect(await fixture.provider.count(at: "/jwks") == 1)
        let key = try TestKey.p256(9)
        await fixture.provider.change {
            $0.key = key
            $0.keyID = "k2"
            $0.keys = JWKSet([key.publicKey.named("k2", algorithm: .es256)])
        }
        // Within ten seconds of the last fetch, no token can make the client fetch again.
        #expect(await fixture.refusal()?.contains("no key of the issuer fits") == true)
        #expect(await fixture.provider.count(at: "/jwks") == 1)
        fixture.clock.advance(by: .seconds(11))
        #expect(await fixture.refusal() == nil)
        #expect(await fixture.provider.count(at: "/jwks") == 2)
    }

    @Test func `keys that cannot be fetched are no verdict on the token`() async throws {
        let fixture = try await OpenIDFixture()
        await fixture.provider.change { $0.instead["/jwks"] = Array(repeating: HTTPResponse(status: 503), count: 3) }
        #expect(await clientError { _ = try await fixture.tokens() }?.code == .serverUnavailable)
        #expect(await fixture.provider.count(at: "/jwks") == 3)
    }

    @Test func `keys that cannot be fetched at first do not cost the user the sign-in`() async throws {
        let fixture = try await OpenIDFixture()
        await fixture.provider.change { $0.instead["/jwks"] = Array(repeating: HTTPResponse(status: 503), count: 2) }
        _ = try await fixture.tokens()
        #expect(await fixture.provider.count(at: "/revoke") == 0)
    }

    @Test func `keys are fetched over https only, and must be somewhere`() async throws {
        for (address, code) in [
            ("http://keys.example/jwks" as JSONValue, OAuthClientError.Code.insecureURL), (.null, .unsupportedByServer),
        ] {
            let fixture = try await OpenIDFixture()
            await fixture.provider.change { $0.metadata = ["jwks_uri": address] }
            #expect(await clientError { _ = try await fixture.tokens() }?.code == code)
        }
    }

    @Test func `a server with nothing but openid-configuration will do`() async throws {
        let fixture = try await OpenIDFixture()
        await fixture.provider.change { $0.hasOAuthMetadata = false }
        #expect(try await fixture.tokens().idToken?.subject == "alice")
        let metadata = try await fixture.client.fetchAuthorizationServerMetadata()
        #expect(metadata.endSessionEndpoint?.path == "/end")
    }
}
#endif
