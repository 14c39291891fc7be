// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// Makes and verifies pairs of code verifier and code challenge (RFC 7636).
///
/// ```swift
/// let service = PKCEService()
/// let (verifier, challenge) = service.create()                     // client: the challenge goes into the request
/// try service.verify(verifier.text, against: challenge)            // server: at the token endpoint
/// ```
public struct PKCEService: Sendable {
    private let entropy: any Entropy

    /// Makes the service.
    ///
    /// - Parameter entropy: The source of random bytes.
    public init(entropy: any Entropy = SystemEntropy()) {
        self.entropy = entropy
    }

    /// Makes a new pair: 32 random bytes, S256.
    ///
    /// - Returns: The verifier to keep, and the challenge to send.
    public func create() -> (verifier: CodeVerifier, challenge: CodeChallenge) {
        func make(_ entropy: some Entropy) -> CodeVerifier { CodeVerifier(entropy: entropy) }
        let verifier = make(entropy)
        return (verifier, verifier.s256Challenge)
    }

    /// Verifies a received code verifier (section 4.6).
    ///
    /// - Parameters:
    ///   - verifier: `code_verifier` of the token request.
    ///   - challenge: The challenge that was stored with the code.
    /// - Throws: ``PKCEError`` – ``PKCEError/Code/malformedVerifier``, ``PKCEError/Code/mismatch``.
    public func verify(_ verifier: String, against challenge: CodeChallenge) throws(PKCEError) {
        try challenge.verify(CodeVerifier(verifier))
    }
}
