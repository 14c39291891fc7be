// SPDX-License-Identifier: Apache-2.0

import OAuthCrypto
public import OAuthSystem
import StrictJSON
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

    private let role: DPoPServerRole
    private let keys: Mutex<[DPoPNonceKey]>

    /// Makes an issuer.
    ///
    /// - Parameters:
    ///   - role: Which kind of server gives the nonces out.
    ///   - secrets: The secret in use first, then the one before it. One that is not 32 bytes is left out: whoever can
    ///     guess a secret can make nonces. Without any, every nonce is refused.
    public init(role: DPoPServerRole, secrets: [DPoPNonceSecret]) {
        self.role = role
        keys = Mutex(Self.keys(of: secrets, role))
    }

    /// Takes secrets into use that are kept elsewhere, for several processes.
    ///
    /// - Parameter secrets: The secret in use first, then the one before it; see ``init(role:secrets:)``.
    public func use(_ secrets: [DPoPNonceSecret]) {
        let new = Self.keys(of: secrets, role)
        keys.withLock { $0 = new }
    }

    private static func keys(of secrets: [DPoPNonceSecret], _ role: DPoPServerRole) -> [DPoPNonceKey] {
        secrets.filter(\.isStrong).map { DPoPNonceKey($0, role: role) }
    }

    /// Takes a new secret into use and keeps the one before it, so that nonces given out stay valid.
    ///
    /// - Parameter secret: The new secret of 32 bytes, with a number that differs from that of the one in use; another one
    ///   is not taken.
    public func rotate(to secret: DPoPNonceSecret) {
        guard secret.isStrong else { return }
        let key = DPoPNonceKey(secret, role: role)
        keys.withLock { $0 = [key] + $0.prefix(1) }
    }

    /// Makes a nonce.
    ///
    /// - Parameter now: The time.
    /// - Returns: 30 characters of base64url, which are NQCHARs (RFC 9449 section 8.1); empty without a secret.
    public func nonce(at now: Timestamp) -> String {
        let minute = UInt32(clamping: now.secondsSince1970 / 60)
        return keys.withLock { $0.isEmpty ? "" : $0[0].nonce(of: minute) }
    }

    /// Says whether a nonce is one of ours and in time; where a code differs from ours, the time does not tell.
    func judge(_ nonce: Span<UInt8>, at now: Timestamp) -> Judgement {
        guard nonce.count == 30 else { return .invalid }
        return Base64URL.withDecoded(nonce) { judge(decoded: $0, at: now) } ?? .invalid
    }

    private func judge(decoded nonce: Span<UInt8>, at now: Timestamp) -> Judgement {
        guard nonce[0] == DPoPNonceKey.version else { return .invalid }
        var minute: UInt32 = 0
        for index in 2..<DPoPNonceKey.prefixCount { minute = minute << 8 | UInt32(nonce[index]) }
        let age = now - Timestamp(secondsSince1970: Int64(minute) * 60)
        guard age >= .seconds(-60), age <= Self.lifetime, let code = code(of: minute, bySecret: nonce[1]) else {
            return .invalid
        }
        let isSame = code.withBytes {
            ConstantTime.areEqual(
                nonce.extracting(DPoPNonceKey.prefixCount...),
                $0.extracting(..<DPoPNonceKey.codeCount)
            )
        }
        return isSame ? .valid(age: age) : .invalid
    }

    private func code(of minute: UInt32, bySecret number: UInt8) -> SHA256Digest? {
        keys.withLock { keys in keys.firstIndex { $0.number == number }.map { keys[$0].code(of: minute) } }
    }
}
