// SPDX-License-Identifier: Apache-2.0

import JOSE

/// Recognizes tokens that have the same meaning as another one with a different text.
///
/// With strict base64url there is one text for each signing input. An ECDSA signature (r, s) has one twin, (r, n - s),
/// which anyone can compute (RFC 7515 appendix A.3 does not forbid it); an Ed25519 signature has none.
public enum TokenTwin {
    /// The token with the other signature; the same token if its signature has no twin.
    ///
    /// - Parameter token: A compact serialization.
    /// - Returns: The token with (r, n - s) if the signature has 64 bytes.
    public static func twin(of token: String) -> String {
        let twin = try? RawJWS.changingSignature(of: token) { signature in
            guard signature.count == 64 else { return }
            signature.replaceSubrange(32..., with: P256Order.minus(signature[32...]))
        }
        return twin ?? token
    }

    /// Whether a token is the same as another one, or its twin.
    ///
    /// - Parameters:
    ///   - token: An accepted token.
    ///   - original: A token signed with ES256 or Ed25519.
    /// - Returns: Whether every signed byte is the same, and the signature is the same or the twin.
    public static func hasSameMeaning(_ token: String, as original: String) -> Bool {
        token.utf8.elementsEqual(original.utf8) || token.utf8.elementsEqual(twin(of: original).utf8)
    }
}
