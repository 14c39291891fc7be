// SPDX-License-Identifier: Apache-2.0

import OAuthCrypto
import StrictJSON

extension SignatureAlgorithm {
    /// The left half of a hash of `text`, in base64url, made with the hash function of this algorithm.
    ///
    /// It is the value of `at_hash` and `c_hash` in an id_token signed with this algorithm (OpenID Connect Core
    /// sections 3.1.3.6 and 3.3.2.11). `nil` for an algorithm without a known hash function.
    package func halfHash(of text: String) -> String? {
        hash.map { Base64URL.encode(Array($0.hash(Array(text.utf8)).prefix($0.digestCount / 2))) }
    }

    /// Covers the HMAC algorithms too: a header names them in the same way.
    private var hash: HashAlgorithm? {
        switch rawValue {
        case "HS256", "ES256", "RS256", "PS256": .sha256
        case "HS384", "ES384", "RS384", "PS384": .sha384
        // Ed25519 hashes with SHA-512 (RFC 8032 section 5.1).
        case "HS512", "ES512", "RS512", "PS512", "EdDSA", "Ed25519": .sha512
        default: nil
        }
    }
}
