// SPDX-License-Identifier: Apache-2.0

public import JOSE
import OAuthCrypto

/// The hash of a password: scrypt (RFC 7914) with N=2^14, r=8, p=5 and a salt of 16 bytes.
///
/// As text: `$scrypt$ln=14,r=8,p=5$<salt>$<hash>`, both in base64url. Hashing takes about 100 ms and 16 MiB, so it is
/// done by ``PasswordHasher`` only.
public struct PasswordHash: Sendable, Hashable, RedactedSecret {
    /// The text that is stored.
    public let encoded: String

    private static let prefix = "$scrypt$ln=14,r=8,p=5$"
    private static let saltLength = 16
    private static let hashLength = 32

    /// Takes a hash that was stored.
    ///
    /// - Parameter encoded: The text that was stored.
    public init(stored encoded: String) {
        self.encoded = encoded
    }

    /// Hashes a password; blocks for about 100 ms.
    init(of password: String, entropy: any Entropy) throws(CryptoError) {
        let salt = entropy.bytes(Self.saltLength)
        var hash = try Self.derive(password, salt: salt)
        defer { SecretMemory.wipe(&hash) }
        encoded = Self.prefix + Base64URL.encode(salt) + "$" + Base64URL.encode(hash)
    }

    /// Whether this is the hash of a password; blocks for about 100 ms.
    func matches(_ password: String) throws(CryptoError) -> Bool {
        guard encoded.hasPrefix(Self.prefix) else { throw CryptoError("reading a password hash") }
        let parts = encoded.dropFirst(Self.prefix.count).split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 2, let salt = try? Base64URL.decode(String(parts[0])),
            let expected = try? Base64URL.decode(String(parts[1])), expected.count == Self.hashLength
        else { throw CryptoError("reading a password hash") }
        var hash = try Self.derive(password, salt: salt)
        defer { SecretMemory.wipe(&hash) }
        return ConstantTime.areEqual(hash, expected)
    }

    /// Compares in a time that does not tell where two values differ.
    ///
    /// - Parameters:
    ///   - left: One hash.
    ///   - right: The other one.
    /// - Returns: Whether both are the same, byte by byte.
    public static func == (left: PasswordHash, right: PasswordHash) -> Bool {
        left.encoded.isIdenticalInConstantTime(to: right.encoded)
    }

    private static func derive(_ password: String, salt: [UInt8]) throws(CryptoError) -> [UInt8] {
        var octets = Array(password.utf8)
        defer { SecretMemory.wipe(&octets) }
        return try Scrypt.deriveKey(from: octets, salt: salt, parameters: .password, count: hashLength)
    }
}
