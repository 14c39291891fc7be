// SPDX-License-Identifier: Apache-2.0

import OAuthSystem

extension P256PrivateKey {
    /// Signs with ES256.
    ///
    /// - Parameter message: The message, not its digest. It may be empty.
    /// - Returns: r and s, 64 bytes; randomized.
    /// - Throws: ``CryptoError`` if the library cannot sign.
    package func signature(for message: [UInt8]) throws(CryptoError) -> [UInt8] {
        try message.withSpan { span throws(CryptoError) in try signature(for: span) }
    }
}
