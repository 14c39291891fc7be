// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CPKCS11
import JOSE
import StrictJSON

/// The public key of a key in a token, validated.
struct PKCS11PublicNumbers {
    let key: JWK
    /// The size of a signature in bytes.
    let signatureCount: Int

    init(
        _ object: CK_OBJECT_HANDLE,
        _ algorithm: PKCS11Algorithm,
        in session: PKCS11Session
    ) throws(KeyStoreError) {
        if let count = algorithm.coordinateCount {
            let point = try Self.required(CKA_EC_POINT, of: object, 1024, in: session)
            key = try Self.key(Self.members(ofPoint: point, count, algorithm))
            signatureCount = 2 * count
        } else {
            let modulus = try Self.number(Self.required(CKA_MODULUS, of: object, 2048, in: session))
            let exponent = try Self.number(Self.required(CKA_PUBLIC_EXPONENT, of: object, 64, in: session))
            key = try Self.key([
                "kty": "RSA", "n": .string(Base64URL.encode(modulus)), "e": .string(Base64URL.encode(exponent)),
            ])
            signatureCount = modulus.count
        }
    }

    /// The members of a point.
    ///
    /// Modules return it raw, or in an OCTET STRING as the standard requires (PKCS #11 Current Mechanisms 2.40, section
    /// 2.3.3).
    static func members(
        ofPoint point: [UInt8],
        _ count: Int,
        _ algorithm: PKCS11Algorithm
    ) throws(KeyStoreError) -> JSONObject {
        let uncompressed = 1 + 2 * count
        var point = point[...]
        if point.count == uncompressed + 2, point.starts(with: [0x04, UInt8(uncompressed)]) {
            point = point.dropFirst(2)
        }
        guard point.count == uncompressed, point.first == 0x04 else {
            throw PKCS11Module.lie("a public key is not an uncompressed point of its curve")
        }
        let (x, y) = (Array(point.dropFirst().prefix(count)), Array(point.suffix(count)))
        return [
            "kty": "EC", "crv": algorithm == .es256 ? "P-256" : "P-384", "x": .string(Base64URL.encode(x)),
            "y": .string(Base64URL.encode(y)),
        ]
    }

    /// Checks the point, or the size and structure of the modulus.
    private static func key(_ members: JSONObject) throws(KeyStoreError) -> JWK {
        do {
            return try JWK(parsing: members)
        } catch {
            throw KeyStoreError(
                .deviceFailed,
                "the token has a public key that cannot be used: \(error.reason)",
                underlying: error
            )
        }
    }

    /// A big-endian number without the leading zeros that some modules return.
    private static func number(_ octets: [UInt8]) -> [UInt8] {
        Array(octets.drop { $0 == 0 })
    }

    private static func required(
        _ type: CK_ATTRIBUTE_TYPE,
        of object: CK_OBJECT_HANDLE,
        _ maximumCount: Int,
        in session: PKCS11Session
    ) throws(KeyStoreError) -> [UInt8] {
        guard let value = try session.attribute(type, of: object, maximumCount: maximumCount) else {
            throw KeyStoreError(
                .deviceFailed,
                "the token does not show the public half of the key",
                underlying: PKCS11IncompleteKey()
            )
        }
        return value
    }
}
#endif
