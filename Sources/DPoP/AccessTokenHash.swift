// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthCrypto

/// `ath`: the hash of the access token that goes with a proof (RFC 9449 section 4.2).
enum AccessTokenHash {
    /// The base64url encoding of the SHA-256 of the ASCII bytes of the token, as sent.
    static func value(for accessToken: String) -> String {
        String(decoding: bytes(for: accessToken), as: UTF8.self)
    }

    /// The same as ASCII.
    static func bytes(for accessToken: String) -> [UInt8] {
        Base64URL.encodeToBytes(digest(of: accessToken).bytes)
    }

    /// The SHA-256 of the ASCII bytes of the token.
    static func digest(of accessToken: String) -> SHA256Digest {
        accessToken.withUTF8Span { SHA256.hash($0) }
    }
}
