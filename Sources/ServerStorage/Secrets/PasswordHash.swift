// SPDX-License-Identifier: Apache-2.0

package import OAuthCrypto
public import OAuthSystem
import StrictJSON

/// The hash of a password: scrypt (RFC 7914) with N=2^14, r=8, p=5 and a salt of 16 bytes.
///
/// As text: `$scrypt$ln=14,r=8,p=5$<salt>$<hash>`, both in base64url. Hashing takes about 100 ms and 16 MiB, so only
/// ``/AuthorizationServer/PasswordHasher`` does it.
public struct PasswordHash: Sendable, Hashable, RedactedSecret {
    /// The stored text.
    public let encoded: String

    /// Wraps a stored hash.
    ///
    /// - Parameter encoded: The stored text.
    public init(stored encoded: String) {
        self.encoded = encoded
    }

    /// Makes a hash that matches no known password, from random bytes.
    package init(ofNothing entropy: any Entropy) {
        let (salt, hash) = (entropy.bytes(PasswordScheme.saltLength), entropy.bytes(PasswordScheme.hashLength))
        encoded = PasswordScheme.scrypt.prefix + Base64URL.encode(salt) + "$" + Base64URL.encode(hash)
    }

    /// Hashes a password; scrypt blocks for about 100 ms.
    package init(of password: String, by scheme: PasswordScheme, entropy: any Entropy) throws(CryptoError) {
        let salt = entropy.bytes(PasswordScheme.saltLength)
        var hash = try scheme.derive(password, salt: salt)
        defer { SecretMemory.wipe(&hash) }
        encoded = scheme.prefix + Base64URL.encode(salt) + "$" + Base64URL.encode(hash)
    }

    /// Whether this is the hash of a password; scrypt blocks for about 100 ms.
    ///
    /// - Throws: `CryptoError`, also for a hash of another scheme.
    package func matches(_ password: String, by scheme: PasswordScheme) throws(CryptoError) -> Bool {
        guard encoded.hasPrefix(scheme.prefix) else { throw CryptoError("reading a password hash") }
        let parts = encoded.dropFirst(scheme.prefix.count).split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 2, let salt = try? Base64URL.decode(String(parts[0])),
            let expected = try? Base64URL.decode(String(parts[1])), expected.count == PasswordScheme.hashLength
        else { throw CryptoError("reading a password hash") }
        var hash = try scheme.derive(password, salt: salt)
        defer { SecretMemory.wipe(&hash) }
        return ConstantTime.areEqual(hash, expected)
    }

    /// Compares in constant time.
    ///
    /// - Parameters:
    ///   - left: One hash.
    ///   - right: The other one.
    /// - Returns: Whether both are equal, byte by byte.
    public static func == (left: PasswordHash, right: PasswordHash) -> Bool {
        left.encoded.isIdenticalInConstantTime(to: right.encoded)
    }
}
