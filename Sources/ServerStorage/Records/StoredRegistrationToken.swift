// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// A stored initial access token, with which clients register (RFC 7591 section 1.2).
public struct StoredRegistrationToken: Sendable, Hashable {
    /// The hash of the token.
    public var tokenHash: SecretHash
    /// How many clients can still register with it; at least one.
    public var usesLeft: Int
    /// When it expires.
    public var expiresAt: Timestamp
    /// What a client may register itself for.
    public var policy: RegistrationTokenPolicy

    /// The name of the token for operators: the first 8 bytes of its hash, as 16 hexadecimal digits.
    ///
    /// It is not a secret: nobody can find 256 random bits from a part of their hash.
    public var id: String { Self.id(of: tokenHash) }

    /// The name of a token for operators, see ``id``.
    ///
    /// - Parameter tokenHash: The hash of the token.
    /// - Returns: 16 hexadecimal digits.
    public static func id(of tokenHash: SecretHash) -> String {
        tokenHash.bytes.prefix(8).hexadecimal
    }

    /// Makes a record.
    ///
    /// - Parameters:
    ///   - tokenHash: The hash of the token.
    ///   - usesLeft: How many clients can register with it.
    ///   - expiresAt: When it expires.
    ///   - policy: What a client may register itself for.
    public init(
        tokenHash: SecretHash,
        usesLeft: Int,
        expiresAt: Timestamp,
        policy: RegistrationTokenPolicy = RegistrationTokenPolicy()
    ) {
        self.tokenHash = tokenHash
        self.usesLeft = usesLeft
        self.expiresAt = expiresAt
        self.policy = policy
    }
}
