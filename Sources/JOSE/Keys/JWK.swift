// SPDX-License-Identifier: Apache-2.0

package import OAuthCrypto
import OAuthSystem
public import StrictJSON

/// A public key in JSON (RFC 7517).
///
/// A value of this type never holds a private or symmetric key. A JWK that contains one is rejected rather than
/// stripped, since its owner has already disclosed the secret.
public struct JWK: Sendable, Hashable {
    /// The key, by type.
    package enum Material: Sendable, Hashable {
        /// `kty` EC, `crv` P-256 (RFC 7518 section 6.2).
        case p256(P256PublicKey)
        /// `kty` EC, `crv` P-384 or P-521 (RFC 7518 section 6.2).
        case ec(ECPublicKey)
        /// `kty` OKP, `crv` Ed25519 (RFC 8037 section 2).
        case ed25519(Ed25519PublicKey)
        /// `kty` RSA (RFC 7518 section 6.3).
        case rsa(RSAPublicKey)
    }

    package let material: Material
    /// `kid`, the name of the key within a set.
    public let keyID: String?
    /// `use`; `sig` for signatures.
    public let use: String?
    /// `alg`, the only algorithm that the key may be used with.
    public let algorithm: SignatureAlgorithm?

    package init(
        material: Material,
        keyID: String? = nil,
        use: String? = nil,
        algorithm: SignatureAlgorithm? = nil
    ) {
        self.material = material
        self.keyID = keyID
        self.use = use
        self.algorithm = algorithm
    }

    /// Reads a public key.
    ///
    /// - Parameter object: `kty` EC on P-256, P-384 or P-521 with coordinates of exactly 32, 48 or 66 bytes; `kty` RSA
    ///   with an odd modulus of 2048 to 8192 bits and an odd exponent from 3 to below 2^32, both without leading zeros;
    ///   `kty` OKP on Ed25519 with 32 bytes. `use`, when set, is `sig`; `key_ops`, when set, contains `verify` and no
    ///   operation of encryption. Other members are ignored.
    /// - Throws: ``JOSEError`` – ``JOSEError/Code/malformedKey`` for private and symmetric keys, unknown types, keys
    ///   for other uses, numbers outside these limits, RSA keys known to be weak, and an EC point that is not on the
    ///   curve. An invalid Ed25519 point is not reported here; such a key verifies no signature.
    ///
    /// ## Specification
    ///
    /// [RFC 7517 §4](https://www.rfc-editor.org/rfc/rfc7517#section-4),
    /// [RFC 7518 §6](https://www.rfc-editor.org/rfc/rfc7518#section-6),
    /// [RFC 8037 §2](https://www.rfc-editor.org/rfc/rfc8037#section-2)
    public init(parsing object: JSONObject) throws(JOSEError) {
        try self.init(parsingUnchecked: object)
        guard material.isOnCurve else { throw JOSEError(.malformedKey, "the point is not on the curve") }
    }

    /// Reads a public key without checking that an EC point is on its curve.
    ///
    /// Verifying a signature checks it; importing the key twice would cost time.
    package init(parsingUnchecked object: JSONObject) throws(JOSEError) {
        if let name = object.firstName(where: Self.isPrivateMember) {
            throw JOSEError(.malformedKey, "the key has the private member '\(name)'; send the public key only")
        }
        let material = try Material(parsing: object)
        let keyID = try Self.optionalString("kid", of: object)
        let use = try Self.optionalString("use", of: object)
        let algorithm = try Self.optionalString("alg", of: object).map { SignatureAlgorithm(rawValue: $0) }
        guard use == nil || use == "sig" else { throw JOSEError(.malformedKey, "the key is not for signatures") }
        try Self.checkOperations(object)
        self.init(material: material, keyID: keyID, use: use, algorithm: algorithm)
    }

    /// RFC 7517 section 4.3: `key_ops` is an array of distinct strings.
    ///
    /// Operations other than `verify` must agree with `use`, and a key with unrelated operations is rejected.
    private static func checkOperations(_ object: JSONObject) throws(JOSEError) {
        // Nearly all keys have none.
        guard object.hasMember("key_ops"), let value = object["key_ops"] else { return }
        let names = value.arrayValue?.compactMap(\.stringValue) ?? []
        guard names.count == value.arrayValue?.count, Set(names).count == names.count, names.contains("verify"),
            encryptionOperations.isDisjoint(with: names)
        else {
            throw JOSEError(.malformedKey, "the key is not for verifying signatures ('key_ops')")
        }
    }

    private static let encryptionOperations: Set<String> = [
        "encrypt", "decrypt", "wrapKey", "unwrapKey", "deriveKey", "deriveBits",
    ]

    private static func optionalString(_ name: JSONName, of object: JSONObject) throws(JOSEError) -> String? {
        do {
            return try object.optionalString(name)
        } catch {
            throw JOSEError(.malformedKey, error.reason)
        }
    }

    /// A copy of the key with another `kid`, `use` and `alg`, for publishing.
    ///
    /// - Parameters:
    ///   - keyID: `kid`.
    ///   - use: `use`; `sig` for signatures.
    ///   - algorithm: `alg`.
    /// - Returns: The key with these members.
    public func named(_ keyID: String, use: String? = "sig", algorithm: SignatureAlgorithm?) -> JWK {
        JWK(material: material, keyID: keyID, use: use, algorithm: algorithm)
    }

    /// Whether a member occurs only in private and symmetric keys (RFC 7518 sections 6.2.2, 6.3.2 and 6.4).
    private static func isPrivateMember(_ name: Span<UInt8>) -> Bool {
        // Called for each member of the key in each proof, so it compares the length first.
        switch name.count {
        case 1:
            switch name[0] {
            case UInt8(ascii: "d"), UInt8(ascii: "p"), UInt8(ascii: "q"), UInt8(ascii: "k"): true
            default: false
            }
        case 2: name.isIdentical(to: "dp") || name.isIdentical(to: "dq") || name.isIdentical(to: "qi")
        case 3: name.isIdentical(to: "oth")
        default: false
        }
    }
}

extension JWK {
    /// The key as a JSON object: the required members in lexicographic order, then `kid`, `use` and `alg` if set.
    public var json: JSONObject {
        var object = material.requiredMembers
        object["kid"] = keyID.map { .string($0) }
        object["use"] = use.map { .string($0) }
        object["alg"] = algorithm.map { .string($0.rawValue) }
        return object
    }

    /// The SHA-256 thumbprint (RFC 7638 section 3), computed over the required members only.
    public var thumbprint: JWKThumbprint {
        switch material {
        case .p256(let key): JWKThumbprint(key)
        case .ed25519(let key): JWKThumbprint(key)
        case .ec, .rsa: JWKThumbprint(digest: SHA256.hash(JSONValue.object(material.requiredMembers).encoded()))
        }
    }

    /// Whether the key may be used with an algorithm: type and curve match, and `alg` of the key is absent or equal.
    ///
    /// - Parameter algorithm: The algorithm of a token.
    /// - Returns: Whether key and algorithm match (RFC 8725 section 3.1).
    public func fits(_ algorithm: SignatureAlgorithm) -> Bool {
        guard self.algorithm == nil || self.algorithm == algorithm else { return false }
        return material.fits(algorithm)
    }

    /// Whether this key made a signature over a message.
    /// - Parameters:
    ///   - signature: The signature in the JWS format.
    ///   - message: The JWS signing input.
    ///   - algorithm: The required algorithm.
    /// - Returns: Also false if the algorithm does not fit the key, or the point is not on the curve.
    package func isValidSignature(
        _ signature: [UInt8],
        for message: [UInt8],
        algorithm: SignatureAlgorithm
    ) -> Bool {
        guard fits(algorithm) else { return false }
        return signature.withSpan { signature in
            message.withSpan { material.isValidSignature(signature, for: $0, algorithm: algorithm) }
        }
    }
}

extension JWK.Material {
    /// Whether this key made a signature over a message, for an algorithm that is known to fit the key.
    func isValidSignature(_ signature: Span<UInt8>, for message: Span<UInt8>, algorithm: SignatureAlgorithm) -> Bool {
        // Verification of ES256 is fast enough that a copy would be measurable.
        if case .p256(let key) = self { return key.isValidSignature(signature, for: message) }
        let signature = unsafe signature.withUnsafeBufferPointer { unsafe Array($0) }
        let message = unsafe message.withUnsafeBufferPointer { unsafe Array($0) }
        switch self {
        case .p256(let key): return key.isValidSignature(signature, for: message)
        case .ec(let key): return key.isValidSignature(signature, for: message)
        case .ed25519(let key): return key.isValidSignature(signature, for: message)
        case .rsa(let key):
            guard let scheme = algorithm.rsaScheme else { return false }
            return key.isValidSignature(signature, for: message, scheme: scheme)
        }
    }
}
