// SPDX-License-Identifier: Apache-2.0

import JOSE

/// Which tokens mean the same as another one although they are not the same text.
///
/// With strict base64url there is one text for each signing input. An ECDSA signature (r, s) has one twin, (r, n - s), which
/// everybody can compute (RFC 7515 appendix A.3 does not forbid it); one of Ed25519 has none.
public enum TokenTwin {
    /// The token with the other signature; the same token when its signature has no twin.
    ///
    /// - Parameter token: A compact serialization.
    /// - Returns: The token with (r, n - s) when the signature is 64 octets.
    public static func twin(of token: String) -> String {
        let twin = try? RawJWS.changingSignature(of: token) { signature in
            guard signature.count == 64 else { return }
            signature.replaceSubrange(32..., with: P256Order.minus(signature[32...]))
        }
        return twin ?? token
    }

    /// Whether a token is another one, or its twin.
    ///
    /// - Parameters:
    ///   - token: What was accepted.
    ///   - original: A token signed with ES256 or Ed25519.
    /// - Returns: Whether every byte that is signed is the same, and so is the signature, or it is the twin.
    public static func hasSameMeaning(_ token: String, as original: String) -> Bool {
        token.utf8.elementsEqual(original.utf8) || token.utf8.elementsEqual(twin(of: original).utf8)
    }
}
