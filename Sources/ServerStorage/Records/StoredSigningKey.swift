// SPDX-License-Identifier: Apache-2.0

public import JOSE
public import OAuthSystem
public import SigningKeys

/// A key that signs tokens, as it is stored.
///
/// Whether it waits, signs or has been replaced follows from the times of all keys of its algorithm, so that no process has
/// to be running at the moment of a change, and all of them agree.
public struct StoredSigningKey: Sendable, Hashable {
    /// `kid`: the thumbprint of the public key.
    public var keyID: String
    /// What it signs with.
    public var algorithm: SignatureAlgorithm
    /// The public half, for showing; what is published is taken from the sealed key.
    public var publicKey: JWK
    /// The private key as a `KeySealer` made it; forgotten once the key was revoked.
    public var sealedKey: SealedKey
    /// Since when it is published.
    public var publishedAt: Timestamp
    /// When it takes the place of the key before it.
    public var activeFrom: Timestamp
    /// How long what it signs can be valid: so long it stays published after it was replaced.
    public var tokenLifetime: Duration
    /// When it was revoked, if it was.
    public var revokedAt: Timestamp?

    /// Describes a key.
    ///
    /// - Parameters:
    ///   - keyID: `kid`.
    ///   - algorithm: What it signs with.
    ///   - publicKey: The public half.
    ///   - sealedKey: The private key, sealed.
    ///   - publishedAt: Since when it is published.
    ///   - activeFrom: When it takes the place of the key before it.
    ///   - tokenLifetime: How long what it signs can be valid.
    ///   - revokedAt: When it was revoked.
    public init(
        keyID: String,
        algorithm: SignatureAlgorithm,
        publicKey: JWK,
        sealedKey: SealedKey,
        publishedAt: Timestamp,
        activeFrom: Timestamp,
        tokenLifetime: Duration,
        revokedAt: Timestamp? = nil
    ) {
        self.keyID = keyID
        self.algorithm = algorithm
        self.publicKey = publicKey
        self.sealedKey = sealedKey
        self.publishedAt = publishedAt
        self.activeFrom = activeFrom
        self.tokenLifetime = tokenLifetime
        self.revokedAt = revokedAt
    }

    /// Whether one key comes before another: by when they are used, then by their identifiers.
    package static func isEarlier(_ left: StoredSigningKey, than right: StoredSigningKey) -> Bool {
        left.activeFrom == right.activeFrom
            ? left.keyID.utf8.lexicographicallyPrecedes(right.keyID.utf8) : left.activeFrom < right.activeFrom
    }
}
