// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthCrypto
import StrictJSON
import TestSupport
import Testing

@Suite("RFC 7638: thumbprints")
struct JWKThumbprintTests {
    private static let vectors = RFCVector.all("jwk-thumbprint")

    @Test(arguments: vectors)
    func `trap 33: every example has its thumbprint`(vector: RFCVector) throws {
        #expect(try JWK(parsing: vector.object("jwk")).thumbprint.description == vector.string("thumbprint"))
    }

    @Test(arguments: vectors)
    func `the canonical form of every example has its thumbprint`(vector: RFCVector) throws {
        let digest = SHA256.hash(Array(try vector.string("canonical").utf8))
        #expect(try JWKThumbprint(vector.string("thumbprint")) == JWKThumbprint(digest: digest))
    }

    @Test func `there is an example of EC, RSA and OKP each`() {
        let types = Self.vectors.compactMap { $0.object["jwk"]?.objectValue?["kty"]?.stringValue }
        #expect(Set(types) == ["EC", "RSA", "OKP"])
        #expect(RFCVector.all("dpop_jkt").count == 1)
    }

    @Test(arguments: RFCVector.all("dpop_jkt"))
    func `the dpop_jkt of RFC 9449 figure 25 is a thumbprint`(vector: RFCVector) throws {
        let text = try vector.string("dpop_jkt")
        #expect(try JWKThumbprint(text).description == text)
    }

    @Test func `trap 33: order, white space and optional members of the key do not matter`() throws {
        let key = try TestKey.p256().publicKey
        let (x, y) = try (#require(key.json["x"]), #require(key.json["y"]))
        let other: JSONObject = ["y": y, "kid": "a", "use": "sig", "kty": "EC", "ext": [1], "x": x, "crv": "P-256"]
        #expect(try JWK(parsing: other).thumbprint == key.thumbprint)
        #expect(try TestKey.p256(2).publicKey.thumbprint != key.thumbprint)
    }

    @Test(arguments: [
        "", "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9X", "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xss",
        "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs=", "NzbLsXh8uDCcd+6MNwXF4W/7noWXFZAfHkxZsRGC9Xs",
        "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xt", " NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9X",
        "éNzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9",
    ])
    func `attack 101, a malformed dpop_jkt is rejected`(text: String) {
        #expect(errorCode { try JWKThumbprint(text) } == .malformedKey)
    }
}
