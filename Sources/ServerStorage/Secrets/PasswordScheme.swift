// SPDX-License-Identifier: Apache-2.0

import OAuthCrypto

/// The function that derives the 32 stored bytes from a password.
package enum PasswordScheme: Sendable {
    /// scrypt (RFC 7914) with N=2^14, r=8, p=5: about 100 ms and 16 MiB.
    case scrypt
    /// One HMAC, for test servers only: an attacker with such a hash can guess a million passwords a second.
    ///
    /// Calls the function each time, so that tests can count the cost of logins.
    case unprotected(@Sendable () -> Void)

    package static let saltLength = 16
    package static let hashLength = 32

    /// The prefix of a stored hash: a hash of one scheme never matches under the other.
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
            // CryptoKit does not provide scrypt, and a weaker function is no substitute.
            throw CryptoError("deriving a key with scrypt")
            #endif
        case .unprotected(let derived):
            derived()
            return HMACSHA256Key(octets).authenticationCode(for: salt).bytes
        }
    }
}
