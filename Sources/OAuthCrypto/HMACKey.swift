// SPDX-License-Identifier: Apache-2.0

import OAuthSystem

/// A secret key for HMAC (RFC 2104) with any hash function of the SHA-2 family.
///
/// For occasional use; ``HMACSHA256Key`` is faster. The secret is wiped with its last copy.
package struct HMACKey: Sendable {
    let hash: HashAlgorithm
    private let secret: SecretBytes

    /// Creates a key.
    ///
    /// - Parameters:
    ///   - secret: Any number of bytes. Fewer than the length of a digest weaken the code (RFC 2104 section 3).
    ///   - hash: The hash function.
    package init(_ secret: [UInt8], hash: HashAlgorithm) {
        self.secret = SecretBytes(copying: secret)
        self.hash = hash
    }

    /// Verifies the code of a message in constant time.
    ///
    /// - Parameters:
    ///   - code: The code to verify, of any length.
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
