// SPDX-License-Identifier: Apache-2.0

import OAuthCrypto
import OAuthSystem
import StrictJSON

/// Computes the nonce of a minute from a secret.
struct DPoPNonceKey {
    /// The length of version, number of the secret, and minute.
    static let prefixCount = 6
    /// How many bytes of the HMAC are sent.
    static let codeCount = 16
    static let version: UInt8 = 2
    /// Longer than nonces are accepted.
    private static let rememberedMinutes = 8

    let number: UInt8
    private let hmac: HMACSHA256Key
    private var codes: [(minute: UInt32, code: SHA256Digest)] = []

    init(_ secret: DPoPNonceSecret, role: DPoPServerRole, epoch: ReplayEpoch?) {
        number = secret.number
        let label = Array("dpop nonce \(role)\u{0}".utf8) + (epoch?.bytes ?? [])
        var derived = HMACSHA256Key(secret.bytes).authenticationCode(for: label).bytes
        defer { SecretMemory.wipe(&derived) }
        hmac = HMACSHA256Key(derived)
    }

    /// The HMAC of a minute.
    ///
    /// It is cached, since all nonces of that minute contain it.
    mutating func code(of minute: UInt32) -> SHA256Digest {
        if let known = codes.first(where: { $0.minute == minute }) { return known.code }
        let code = hmac.authenticationCode(for: prefix(of: minute))
        if codes.count == Self.rememberedMinutes { codes.removeFirst() }
        codes.append((minute, code))
        return code
    }

    /// The nonce of a minute, 30 characters.
    mutating func nonce(of minute: UInt32) -> String {
        Base64URL.encode(prefix(of: minute) + code(of: minute).bytes.prefix(Self.codeCount))
    }

    private func prefix(of minute: UInt32) -> [UInt8] {
        [Self.version, number] + minute.bigEndianBytes
    }
}
