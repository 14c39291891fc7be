// SPDX-License-Identifier: Apache-2.0

import DPoP
import JOSE
import OAuthSystem
import ProofSuite
import StrictJSON
import TestSupport
import Testing

@Suite("RFC 9449 section 4.2: making proofs")
struct DPoPProofFactoryTests {
    private let key: SoftwareSigningKey
    private let clock = FixedClock()
    private let uri: TargetURI

    init() throws {
        key = try TestKey.p256()
        uri = try TargetURI(parsing: "https://API.example.com:443/me?a=b#c")
    }

    private func factory(_ key: (any SigningKey)? = nil) -> DPoPProofFactory {
        DPoPProofFactory(key: key ?? self.key, clock: clock, entropy: SeededEntropy())
    }

    @Test func `trap 31: header and claims are these and no others`() async throws {
        let jws = try CompactJWS(parsing: try await factory().proof(method: "GET", targetURI: uri))
        let publicKey = key.publicKey
        #expect(jws.header == ["typ": "dpop+jwt", "alg": "ES256", "jwk": .object(publicKey.json)])
        #expect(jws.header["jwk"]?.objectValue?.members.map(\.name) == ["crv", "kty", "x", "y"])
        let claims = try jws.payloadObject()
        #expect(claims.members.map(\.name) == ["jti", "htm", "htu", "iat"])
        #expect(claims["htm"] == "GET")
        #expect(claims["htu"] == "https://api.example.com/me")
        #expect(claims["iat"] == .number(JSONNumber(clock.now().secondsSince1970)))
        try jws.verify(with: publicKey, allowing: [.es256])
    }

    @Test(arguments: ["/%2D", "/%7euser/%c3%bc", "/a/../b", "/%2e%2e/a", "/a//b"])
    func `htu has the path as it is sent, and a verifier of another spelling accepts it`(path: String) async throws {
        let sent = try TargetURI(parsing: "https://API.example.com" + path + "?q")
        let text = try await factory().proof(method: "GET", targetURI: sent)
        let claims = try CompactJWS(parsing: text).payloadObject()
        #expect(claims["htu"] == .string("https://api.example.com" + path))
        let verifier = DPoPProofVerifier(
            policy: ProofPolicy(nonces: .off),
            nonces: DPoPNonceIssuer(role: .resourceServer, secrets: [])
        )
        for target in [sent, try TargetURI(parsing: sent.description)] {
            let request = ExpectedRequest(method: "GET", targetURI: target)
            _ = try verifier.check([text], against: request, at: clock.now()) { _ in }
        }
    }

    @Test func `with an access token and a nonce, ath and nonce are added`() async throws {
        let text = try await factory().proof(
            method: "GET",
            targetURI: uri,
            accessToken: Scenario.accessToken,
            nonce: "n\"\\"
        )
        let claims = try CompactJWS(parsing: text).payloadObject()
        #expect(claims.members.map(\.name) == ["jti", "htm", "htu", "iat", "ath", "nonce"])
        #expect(claims["ath"] == .string(Scenario.accessTokenHash))
        #expect(claims["nonce"] == "n\"\\")
    }

    @Test func `trap 31: the name, use and algorithm of the key stay at home`() async throws {
        let named = NamedKey(key: key, publicKey: key.publicKey.named("secret name", algorithm: .es256))
        let jws = try CompactJWS(parsing: try await factory(named).proof(method: "GET", targetURI: uri))
        #expect(jws.header["kid"] == nil)
        #expect(jws.header["jwk"] == .object(key.publicKey.json))
    }

    @Test func `every jti is another one, of 128 bits`() async throws {
        let factory = factory()
        var seen: Set<String> = []
        for _ in 0..<100 {
            let claims = try CompactJWS(parsing: try await factory.proof(method: "GET", targetURI: uri)).payloadObject()
            let jti = try #require(claims["jti"]?.stringValue)
            #expect(try Base64URL.decode(jti).count == 16)
            seen.insert(jti)
        }
        #expect(seen.count == 100)
    }

    @Test func `iat follows the clock, in whole seconds`() async throws {
        clock.set(to: Timestamp(millisecondsSince1970: 1_790_000_000_999))
        let claims = try CompactJWS(parsing: try await factory().proof(method: "GET", targetURI: uri)).payloadObject()
        #expect(claims["iat"] == 1_790_000_000)
    }

    @Test(arguments: ["GET", "get", "PATCH", "M-SEARCH"])
    func `the method is kept as it is`(method: String) async throws {
        let claims = try CompactJWS(parsing: try await factory().proof(method: method, targetURI: uri)).payloadObject()
        #expect(claims["htm"] == .string(method))
    }

    @Test func `a key that does not sign gives signingFailed without a step`() async throws {
        let broken = NamedKey(key: nil, publicKey: key.publicKey)
        let error = await asynchronousFailure { try await factory(broken).proof(method: "GET", targetURI: uri) }
        #expect(error?.code == .signingFailed)
        #expect(error?.step == nil)
        #expect(error?.underlying != nil)
    }
}

/// A key in another place: with a name, or broken.
private struct NamedKey: SigningKey {
    struct Broken: Error {}
    let key: SoftwareSigningKey?
    let publicKey: JWK
    let algorithm = SignatureAlgorithm.es256
    let protection = KeyProtection.hardwareBound

    func sign(_ message: [UInt8]) async throws -> [UInt8] {
        guard let key else { throw Broken() }
        await Task.yield()
        return try await key.sign(message)
    }
}
