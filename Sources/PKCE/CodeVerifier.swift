// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem
import StrictJSON

/// The secret that binds a token request to its authorization request (RFC 7636 section 4.1).
///
/// Make a new one for each authorization request, store it with the request, and erase it after use. It is never
/// printed.
public struct CodeVerifier: Sendable, Hashable, RedactedSecret {
    /// 43 to 128 unreserved characters: the value of `code_verifier`.
    public let text: String

    /// Makes a new verifier.
    ///
    /// - Parameter entropy: The source of its 32 random bytes, which become 43 characters of base64url.
    public init(entropy: some Entropy = SystemEntropy()) {
        text = Base64URL.encode(entropy.bytes(32))
    }

    /// Uses a verifier that was stored, received, or made by the caller.
    ///
    /// - Parameter text: 43 to 128 characters of `A-Z a-z 0-9 - . _ ~`. The syntax says nothing about its entropy.
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
    /// - Parameter method: The transformation; S256 unless the caller names the other.
    /// - Returns: The challenge for the authorization request.
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

    /// Compares in constant time.
    ///
    /// - Parameters:
    ///   - left: One verifier.
    ///   - right: The other one.
    /// - Returns: Whether both are equal, byte by byte.
    public static func == (left: CodeVerifier, right: CodeVerifier) -> Bool {
        left.text.isIdenticalInConstantTime(to: right.text)
    }
}
