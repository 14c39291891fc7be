// SPDX-License-Identifier: Apache-2.0

public import JOSE
import OAuthCrypto
import Synchronization

/// Gives out nonces and recognises them, without keeping any (RFC 9449 sections 8 and 9).
///
/// A nonce is `version ‖ secret number ‖ minute ‖ HMAC-SHA256(secret, role ‖ minute)` cut to 16 bytes, in base64url. All
/// nodes that share the secrets agree. The two roles have different keys, so one's nonce is never the other's.
public final class DPoPNonceIssuer: Sendable {
    /// What a nonce turned out to be.
    enum Judgement {
        /// The nonce is ours and in time.
        case valid(age: Duration)
        /// The nonce is not ours, or too old.
        case invalid
    }

    /// How long a nonce is accepted.
    public static let lifetime: Duration = .seconds(300)

    private struct Key {
        let number: UInt8
        let hmac: HMACSHA256Key
    }

    private let role: DPoPServerRole
    private let keys: Mutex<[Key]>

    /// Makes an issuer.
    ///
    /// - Parameters:
    ///   - role: Which kind of server gives the nonces out.
    ///   - secrets: The secret in use first, then the one before it. One that is not 32 bytes is left out: whoever can
    ///     guess a secret can make nonces. Without any, every nonce is refused.
    public init(role: DPoPServerRole, secrets: [DPoPNonceSecret]) {
        self.role = role
        keys = Mutex(secrets.filter(\.isStrong).map { Self.key(for: $0, role: role) })
    }

    /// Takes a new secret into use and keeps the one before it, so that nonces given out stay valid.
    ///
    /// - Parameter secret: The new secret of 32 bytes, with a number that differs from that of the one in use; another one
    ///   is not taken.
    public func rotate(to secret: DPoPNonceSecret) {
        guard secret.isStrong else { return }
        let key = Self.key(for: secret, role: role)
        keys.withLock { $0 = [key] + $0.prefix(1) }
    }

    /// Makes a nonce.
    ///
    /// - Parameter now: The time.
    /// - Returns: 30 characters of base64url, which are NQCHARs (RFC 9449 section 8.1); empty without a secret.
    public func nonce(at now: Timestamp) -> String {
        guard let key = keys.withLock({ $0.first }) else { return "" }
        let minute = Self.minute(of: now)
        return Base64URL.encode(Self.prefix(number: key.number, minute: minute) + Self.code(key, minute))
    }

    /// Says whether a nonce is one of ours and in time, in constant time for those of the right length.
    func judge(_ nonce: String, at now: Timestamp) -> Judgement {
        guard nonce.utf8.count == 30, let bytes = try? Base64URL.decode(nonce), bytes[0] == Self.version else {
            return .invalid
        }
        let minute = bytes[2..<6].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        let age = now - Timestamp(secondsSince1970: Int64(minute) * 60)
        guard let key = keys.withLock({ $0.first { $0.number == bytes[1] } }),
            ConstantTime.areEqual(Array(bytes[6...]), Self.code(key, minute)),
            age >= .seconds(-60), age <= Self.lifetime
        else { return .invalid }
        return .valid(age: age)
    }

    private static let version: UInt8 = 1

    private static func key(for secret: DPoPNonceSecret, role: DPoPServerRole) -> Key {
        let label = Array("dpop nonce \(role)".utf8)
        var derived = HMACSHA256Key(secret.bytes).authenticationCode(for: label).bytes
        defer { SecretMemory.wipe(&derived) }
        return Key(number: secret.number, hmac: HMACSHA256Key(derived))
    }

    private static func minute(of time: Timestamp) -> UInt32 {
        UInt32(clamping: time.secondsSince1970 / 60)
    }

    private static func prefix(number: UInt8, minute: UInt32) -> [UInt8] {
        [version, number] + (0..<4).map { UInt8(truncatingIfNeeded: minute >> UInt32(24 - 8 * $0)) }
    }

    private static func code(_ key: Key, _ minute: UInt32) -> [UInt8] {
        Array(key.hmac.authenticationCode(for: prefix(number: key.number, minute: minute)).bytes.prefix(16))
    }
}
