// SPDX-License-Identifier: Apache-2.0

import OAuthCrypto

/// How a password becomes the 32 bytes that are stored.
package enum PasswordScheme: Sendable {
    /// scrypt (RFC 7914) with N=2^14, r=8, p=5: about 100 ms and 16 MiB.
    case scrypt
    /// One HMAC, for servers that exist in a test only: whoever finds such a hash can guess a million passwords a second.
    ///
    /// Calls a function each time, so that tests can count what logins cost.
    case unprotected(@Sendable () -> Void)

    package static let saltLength = 16
    package static let hashLength = 32

    /// What a stored hash begins with: a hash of one scheme is nothing to the other.
    package var prefix: String {
        switch self {
        case .scrypt: "$scrypt$ln=14,r=8,p=5$"
        case .unprotected: "$unprotected-hmac$"
        }
    }

    func derive(_ password: String, salt: [UInt8]) throws(CryptoError) -> [UInt8] {
        var octets = Array(password.utf8)
        defer { SecretMemory.wipe(&octets) }
        switch self {
        case .scrypt:
            #if os(Linux)
            return try Scrypt.deriveKey(from: octets, salt: salt, parameters: .password, count: Self.hashLength)
            #else
            // CryptoKit has none, and a weaker function is no answer.
            throw CryptoError("deriving a key with scrypt")
            #endif
        case .unprotected(let derived):
            derived()
            return HMACSHA256Key(octets).authenticationCode(for: salt).bytes
        }
    }
}
