// SPDX-License-Identifier: Apache-2.0

import OAuthCrypto
import StrictJSON

extension JWK.Material {
    /// Reads the members that define the key.
    init(parsing object: JSONObject) throws(JOSEError) {
        if let key = Self.p256Key(object) {
            self = .p256(key)
            return
        }
        guard let type = object.string("kty") else {
            throw JOSEError(.malformedKey, "the key has no string member 'kty'")
        }
        do {
            switch (type, object.string("crv")) {
            case ("EC", "P-256"):
                // The fast path above failed: this one reports why.
                self = .p256(try P256PublicKey(x: Self.bytes("x", of: object), y: Self.bytes("y", of: object)))
            case ("EC", "P-384"): self = .ec(try Self.ecKey(.p384, object))
            case ("EC", "P-521"): self = .ec(try Self.ecKey(.p521, object))
            case ("OKP", "Ed25519"):
                self = .ed25519(try Ed25519PublicKey(rawRepresentation: Self.bytes("x", of: object)))
            case ("RSA", _):
                self = .rsa(
                    try RSAPublicKey(modulus: Self.bytes("n", of: object), exponent: Self.bytes("e", of: object))
                )
            default:
                throw JOSEError(
                    .malformedKey,
                    "the key is not of a supported type (EC on P-256, P-384 or P-521, OKP on Ed25519, RSA)"
                )
            }
        } catch let error as CryptoError {
            throw JOSEError(.malformedKey, error.operation, underlying: error)
        } catch let error as JOSEError {
            throw error
        } catch {
            throw JOSEError(.malformedKey, "the key cannot be read", underlying: error)
        }
    }

    /// Whether the coordinates of an EC key are a point on its curve.
    ///
    /// Keys of other types were checked when they were read.
    var isOnCurve: Bool {
        switch self {
        case .p256(let key): key.isOnCurve()
        case .ec(let key): key.isOnCurve()
        case .ed25519, .rsa: true
        }
    }

    /// Whether type and curve match an algorithm (RFC 8725 section 3.1).
    func fits(_ algorithm: SignatureAlgorithm) -> Bool {
        switch self {
        case .p256: algorithm == .es256
        case .ec(let key): algorithm == (key.curve == .p384 ? .es384 : .es512)
        case .ed25519: algorithm == .edDSA || algorithm == .ed25519
        case .rsa: RSAPublicKey.isSupported && algorithm.rsaScheme != nil
        }
    }

    /// The required members in lexicographic order (RFC 7638 section 3.2, RFC 8037 section 2).
    var requiredMembers: JSONObject {
        switch self {
        case .p256(let key):
            Self.ecMembers("P-256", key.x, key.y)
        case .ec(let key):
            Self.ecMembers(key.curve == .p384 ? "P-384" : "P-521", key.x, key.y)
        case .ed25519(let key):
            ["crv": "Ed25519", "kty": "OKP", "x": .string(Base64URL.encode(key.rawRepresentation))]
        case .rsa(let key):
            [
                "e": .string(Base64URL.encode(key.exponent)), "kty": "RSA",
                "n": .string(Base64URL.encode(key.modulus)),
            ]
        }
    }

    private static func ecMembers(_ curve: JSONValue, _ x: [UInt8], _ y: [UInt8]) -> JSONObject {
        ["crv": curve, "kty": "EC", "x": .string(Base64URL.encode(x)), "y": .string(Base64URL.encode(y))]
    }

    private static func ecKey(_ curve: ECDSACurve, _ object: JSONObject) throws -> ECPublicKey {
        try ECPublicKey(curve: curve, x: bytes("x", of: object), y: bytes("y", of: object))
    }

    /// The fast path for P-256, used by nearly all proofs: decodes the coordinates in place, without intermediate
    /// strings.
    private static func p256Key(_ object: JSONObject) -> P256PublicKey? {
        guard object.isString("kty", "EC"), object.isString("crv", "P-256"), let x = object.bytes32("x"),
            let y = object.bytes32("y")
        else { return nil }
        return P256PublicKey(x: x, y: y)
    }

    private static func bytes(_ name: JSONName, of object: JSONObject) throws(JOSEError) -> [UInt8] {
        guard let bytes = object.withString(name, { try? Base64URL.decode($0) }) else {
            throw JOSEError(.malformedKey, "the key has no member '\(name.text)' in base64url")
        }
        return bytes
    }
}
