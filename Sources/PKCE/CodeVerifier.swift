// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem
import StrictJSON

/// The secret that ties a token request to its authorization request (RFC 7636 section 4.1).
///
/// One is made for each attempt, kept with it, and erased after use. It does not print.
public struct CodeVerifier: Sendable, Hashable, RedactedSecret {
    /// 43 to 128 unreserved characters: what is sent as `code_verifier`.
    public let text: String

    /// Makes a new verifier.
    ///
    /// - Parameter entropy: Where its 32 random bytes come from; they become 43 characters of base64url.
    public init(entropy: some Entropy = SystemEntropy()) {
        text = Base64URL.encode(entropy.bytes(32))
    }

    /// Takes a verifier that was stored, received, or made by the caller.
    ///
    /// - Parameter text: 43 to 128 characters of `A-Z a-z 0-9 - . _ ~`. The syntax says nothing about how random it is.
    /// - Throws: ``PKCEError`` – ``PKCEError/Code/malformedVerifier``.
    public init(_ text: String) throws(PKCEError) {
        guard (43...128).contains(text.utf8.count) else {
            throw PKCEError(.malformedVerifier, "a code verifier has 43 to 128 characters, not \(text.utf8.count)")
        }
        guard text.utf8.allSatisfy(UnreservedCharacter.includes) else {
            throw PKCEError(.malformedVerifier, "a code verifier has letters, digits, '-', '.', '_' and '~' only")
        }
        self.text = text
    }

    /// The challenge of this verifier.
    ///
    /// - Parameter method: How the challenge is made; S256 unless the caller spells out the other.
    /// - Returns: What goes into the authorization request.
    /// - Throws: ``PKCEError`` – ``PKCEError/Code/unsupportedMethod``.
    public func challenge(using method: CodeChallengeMethod) throws(PKCEError) -> CodeChallenge {
        switch method {
        case .s256: s256Challenge
        case .plainWithoutProtection: CodeChallenge(value: text, method: method)
        default: throw PKCEError(.unsupportedMethod, "the code challenge method is neither S256 nor plain")
        }
    }

    /// The challenge of this verifier by S256.
    public var s256Challenge: CodeChallenge {
        CodeChallenge(value: S256.challenge(of: text), method: .s256)
    }

    /// Compares in a time that does not tell where two values differ.
    ///
    /// - Parameters:
    ///   - left: One verifier.
    ///   - right: The other one.
    /// - Returns: Whether both are the same, byte by byte.
    public static func == (left: CodeVerifier, right: CodeVerifier) -> Bool {
        left.text.isIdenticalInConstantTime(to: right.text)
    }
}
