// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
public import StrictJSON

/// A set of public keys (RFC 7517 section 5).
public struct JWKSet: Sendable, Hashable {
    /// The keys, in the order of the document.
    public let keys: [JWK]

    /// Makes a set.
    ///
    /// - Parameter keys: The keys.
    public init(_ keys: [JWK]) {
        self.keys = keys
    }

    /// Reads a set; keys of unknown types, for other uses, and private or symmetric ones are left out (section 5).
    ///
    /// - Parameter object: A JSON object with the member `keys`.
    /// - Throws: ``JOSEError`` – ``JOSEError/Code/malformedKey`` when there is no array `keys`, or more than 100.
    public init(parsing object: JSONObject) throws(JOSEError) {
        guard let values = object["keys"]?.arrayValue, values.count <= 100 else {
            throw JOSEError(.malformedKey, "a key set has an array 'keys' of at most 100 keys")
        }
        keys = values.compactMap { value in
            value.objectValue.flatMap { try? JWK(parsing: $0) }
        }
    }

    /// The set as JSON.
    public var json: JSONObject {
        ["keys": .array(keys.map { .object($0.json) })]
    }

    /// The keys that may have signed a token: those of its `kid` when it names one, that fit its algorithm.
    func candidates(keyID: String?, algorithm: SignatureAlgorithm) -> [JWK] {
        keys.filter { key in
            guard key.fits(algorithm) else { return false }
            guard let keyID else { return true }
            return key.keyID?.isIdentical(to: keyID) ?? false
        }
    }
}
