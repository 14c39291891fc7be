// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import COpenSSL
import OAuthSystem

extension HashAlgorithm {
    /// The HMAC (RFC 2104) of a message, as long as a digest.
    func authenticationCode(for message: [UInt8], secret: [UInt8]) -> [UInt8] {
        var code = [UInt8](zeros: digestCount)
        var count = 0
        let made = unsafe OpenSSL.withPointer(secret.span) { keyStart, keyCount in
            unsafe OpenSSL.withPointer(message.span) { start, messageCount in
                unsafe EVP_Q_mac(
                    nil,
                    OpenSSL.name("HMAC"),
                    nil,
                    OpenSSL.name(name),
                    nil,
                    keyStart,
                    keyCount,
                    start,
                    messageCount,
                    &code,
                    code.count,
                    &count
                )
            }
        }
        guard unsafe made != nil, count == digestCount else { OpenSSL.unusable("make an HMAC") }
        return code
    }
}
#endif
