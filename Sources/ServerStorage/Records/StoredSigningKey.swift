// SPDX-License-Identifier: Apache-2.0

public import JOSE
public import OAuthSystem
public import SigningKeys

/// A stored token signing key.
///
/// The times of all keys of an algorithm determine whether a key is waiting, signing or replaced. So no process has to
/// run at the moment of a change, and all processes agree.
public struct StoredSigningKey: Sendable, Hashable {
    /// `kid`: the thumbprint of the public key.
    public var keyID: String
    /// The algorithm with which it signs.
    public var algorithm: SignatureAlgorithm
    /// The public key, for display; the published key is taken from the wrapped key.
    public var publicKey: JWK
    /// The private key, wrapped by a `KeyWrapper`; deleted when the key is revoked.
    public var wrappedKey: WrappedKey
    /// When it was published.
    public var publishedAt: Timestamp
    /// When it replaces the previous key.
    public var activeFrom: Timestamp
    /// The maximum lifetime of what it signs: it stays published that long after it was replaced.
    public var tokenLifetime: Duration
    /// When it was revoked; `nil` if it was not.
    public var revokedAt: Timestamp?

    /// Makes a key.
    ///
    /// - Parameters:
    ///   - keyID: `kid`.
    ///   - algorithm: The algorithm with which it signs.
    ///   - publicKey: The public key.
    ///   - wrappedKey: The wrapped private key.
    ///   - publishedAt: When it was published.
    ///   - activeFrom: When it replaces the previous key.
    ///   - tokenLifetime: The maximum lifetime of what it signs.
    ///   - revokedAt: When it was revoked.
    public init(
        keyID: String,
        algorithm: SignatureAlgorithm,
        publicKey: JWK,
        wrappedKey: WrappedKey,
        publishedAt: Timestamp,
        activeFrom: Timestamp,
        tokenLifetime: Duration,
        revokedAt: Timestamp? = nil
    ) {
        self.keyID = keyID
        self.algorithm = algorithm
        self.publicKey = publicKey
        self.wrappedKey = wrappedKey
        self.publishedAt = publishedAt
        self.activeFrom = activeFrom
        self.tokenLifetime = tokenLifetime
        self.revokedAt = revokedAt
    }

    /// The order of keys: by the time from which they sign, then by identifier.
    package static func isEarlier(_ left: StoredSigningKey, than right: StoredSigningKey) -> Bool {
        left.activeFrom == right.activeFrom
            ? left.keyID.utf8.lexicographicallyPrecedes(right.keyID.utf8) : left.activeFrom < right.activeFrom
    }
}
