// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
public import StrictJSON

/// A set of public keys (RFC 7517 section 5).
public struct JWKSet: Sendable, Hashable {
    /// The keys, in document order.
    public let keys: [JWK]

    /// Creates a set.
    ///
    /// - Parameter keys: The keys.
    public init(_ keys: [JWK]) {
        self.keys = keys
    }

    /// Reads a set.
    ///
    /// Ignores keys of unknown types, keys for other uses, and private or symmetric keys (section 5).
    ///
    /// - Parameter object: A JSON object with the member `keys`.
    /// - Throws: ``JOSEError`` – ``JOSEError/Code/malformedKey`` if `keys` is missing, is not an array, or has more
    ///   than 100 elements.
    public init(parsing object: JSONObject) throws(JOSEError) {
        guard let values = object["keys"]?.arrayValue, values.count <= 100 else {
            throw JOSEError(.malformedKey, "a key set has an array 'keys' of at most 100 keys")
        }
        keys = values.compactMap { value in
            value.objectValue.flatMap { try? JWK(parsing: $0) }
        }
    }

    /// The set as a JSON object with the member `keys`.
    public var json: JSONObject {
        ["keys": .array(keys.map { .object($0.json) })]
    }

    /// The keys that may have signed a token: they fit its algorithm and, if it has a `kid`, have that `kid`.
    func candidates(keyID: String?, algorithm: SignatureAlgorithm) -> [JWK] {
        keys.filter { key in
            guard key.fits(algorithm) else { return false }
            guard let keyID else { return true }
            return key.keyID?.isIdentical(to: keyID) ?? false
        }
    }
}
