// SPDX-License-Identifier: Apache-2.0

import OAuthSystem

extension P256PrivateKey {
    /// Signs with ES256.
    ///
    /// - Parameter message: What to sign, not its digest; it may be empty.
    /// - Returns: r and s, 64 octets; another signature each time.
    /// - Throws: ``CryptoError`` when the library does not sign.
    package func signature(for message: [UInt8]) throws(CryptoError) -> [UInt8] {
        try message.withSpan { span throws(CryptoError) in try signature(for: span) }
    }
}
