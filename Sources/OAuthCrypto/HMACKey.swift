// SPDX-License-Identifier: Apache-2.0

import OAuthSystem

/// A secret that makes message authentication codes with HMAC (RFC 2104) and any function of the SHA-2 family.
///
/// For codes that are made seldom; ``HMACSHA256Key`` is the fast one. The secret is wiped with its last copy.
package struct HMACKey: Sendable {
    /// The hash function.
    package let hash: HashAlgorithm
    private let secret: SecretBytes

    /// Makes a key.
    ///
    /// - Parameters:
    ///   - secret: Any number of octets, though fewer than a digest has weaken the code (RFC 2104 section 3).
    ///   - hash: The hash function.
    package init(_ secret: [UInt8], hash: HashAlgorithm) {
        self.secret = SecretBytes(copying: secret)
        self.hash = hash
    }

    /// Compares a code with that of a message, in a time that does not tell where they differ.
    ///
    /// - Parameters:
    ///   - code: The code to check; any count.
    ///   - message: The message; it may be empty.
    /// - Returns: Whether it is the code of the message.
    package func isValidAuthenticationCode(_ code: [UInt8], for message: [UInt8]) -> Bool {
        ConstantTime.areEqual(code, authenticationCode(for: message))
    }

    /// The code of a message, as long as a digest.
    ///
    /// - Parameter message: The message; it may be empty.
    /// - Returns: The code.
    package func authenticationCode(for message: [UInt8]) -> [UInt8] {
        secret.withArray { hash.authenticationCode(for: message, secret: $0) }
    }
}
