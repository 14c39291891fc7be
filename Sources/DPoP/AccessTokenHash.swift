// SPDX-License-Identifier: Apache-2.0

import OAuthCrypto
import OAuthSystem
import StrictJSON

/// `ath`, the hash of the access token sent with a proof (RFC 9449 section 4.2).
enum AccessTokenHash {
    /// Appends the base64url encoding of the SHA-256 of the ASCII bytes of the token, as sent: 43 characters.
    static func append(for accessToken: String, to output: inout [UInt8]) {
        digest(of: accessToken).withBytes { Base64URL.append($0, to: &output) }
    }

    /// The SHA-256 of the ASCII bytes of the token.
    static func digest(of accessToken: String) -> SHA256Digest {
        accessToken.withUTF8Span { SHA256.hash($0) }
    }
}
