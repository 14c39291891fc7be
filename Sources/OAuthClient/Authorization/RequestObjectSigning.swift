// SPDX-License-Identifier: Apache-2.0

public import JOSE

/// The key that a client signs its authorization requests with, and when it does (RFC 9101).
///
/// It does not print more than the algorithm.
public struct RequestObjectSigning: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    let key: any SigningKey
    let keyID: String?
    let isAlways: Bool

    private init(_ key: any SigningKey, _ keyID: String?, isAlways: Bool) {
        self.key = key
        self.keyID = keyID ?? key.publicKey.keyID
        self.isAlways = isAlways
    }

    /// Every authorization request is signed.
    ///
    /// - Parameters:
    ///   - key: The key, whose public half the server knows; it may be the one of
    ///     ``ClientAuthentication/privateKeyJWT(_:keyID:)``, since what each signs has a `typ` of its own, and never the one
    ///     that tokens are bound to.
    ///   - keyID: `kid`, by which the server finds the public half; by default that of `key.publicKey`, if it has one.
    /// - Returns: The key and when it is used.
    public static func always(with key: any SigningKey, keyID: String? = nil) -> Self {
        Self(key, keyID, isAlways: true)
    }

    /// Authorization requests are signed for a server whose metadata has `require_signed_request_object`.
    ///
    /// - Parameters:
    ///   - key: The key, as with ``always(with:keyID:)``.
    ///   - keyID: `kid`, by which the server finds the public half; by default that of `key.publicKey`, if it has one.
    /// - Returns: The key and when it is used.
    public static func whenRequired(with key: any SigningKey, keyID: String? = nil) -> Self {
        Self(key, keyID, isAlways: false)
    }

    /// The algorithm, no key.
    public var description: String { key.algorithm.rawValue }
    /// The algorithm, no key.
    public var debugDescription: String { key.algorithm.rawValue }
    /// The algorithm, no key.
    public var customMirror: Mirror { Mirror(self, children: ["algorithm": key.algorithm]) }
}
