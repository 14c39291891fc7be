// SPDX-License-Identifier: Apache-2.0

import OAuthCrypto
import StrictJSON

/// The S256 transformation (RFC 7636 section 4.2): `BASE64URL-ENCODE(SHA256(ASCII(code_verifier)))`.
enum S256 {
    /// Hashes the text itself, not the bytes that it may encode.
    static func challenge(of verifier: String) -> String {
        Base64URL.encode(SHA256.hash(Array(verifier.utf8)).bytes)
    }
}
