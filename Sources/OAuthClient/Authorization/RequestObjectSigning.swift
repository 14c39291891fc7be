// SPDX-License-Identifier: Apache-2.0

public import JOSE

/// The key that signs authorization requests, and when to sign (RFC 9101).
///
/// Only the algorithm is printed.
public struct RequestObjectSigning: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    let key: any SigningKey
    let keyID: String?
    let isAlways: Bool

    private init(_ key: any SigningKey, _ keyID: String?, isAlways: Bool) {
        self.key = key
        self.keyID = keyID ?? key.publicKey.keyID
        self.isAlways = isAlways
    }

    /// Signs every authorization request.
    ///
    /// - Parameters:
    ///   - key: The key, whose public key the server knows. It may be the one of
    ///     ``ClientAuthentication/privateKeyJWT(_:keyID:)``, since each kind of JWT has its own `typ`. It must never be
    ///     the key that tokens are bound to.
    ///   - keyID: `kid`, by which the server finds the public key; by default that of `key.publicKey`, if it has one.
    /// - Returns: The key and when it is used.
    public static func always(with key: any SigningKey, keyID: String? = nil) -> Self {
        Self(key, keyID, isAlways: true)
    }

    /// Signs authorization requests for a server whose metadata has `require_signed_request_object`.
    ///
    /// - Parameters:
    ///   - key: The key, as with ``always(with:keyID:)``.
    ///   - keyID: `kid`, by which the server finds the public key; by default that of `key.publicKey`, if it has one.
    /// - Returns: The key and when it is used.
    public static func whenRequired(with key: any SigningKey, keyID: String? = nil) -> Self {
        Self(key, keyID, isAlways: false)
    }

    /// The algorithm; never the key.
    public var description: String { key.algorithm.rawValue }
    /// The algorithm; never the key.
    public var debugDescription: String { key.algorithm.rawValue }
    /// The algorithm; never the key.
    public var customMirror: Mirror { Mirror(self, children: ["algorithm": key.algorithm]) }
}
