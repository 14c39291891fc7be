// SPDX-License-Identifier: Apache-2.0

/// Verifies signatures, singly or in batches.
///
/// Without a verifier in the configuration, each signature is verified alone and at once. The results are the same.
public protocol SignatureVerifier: Sendable {
    /// Whether the key of a token made its signature.
    ///
    /// The caller checks that the algorithm is allowed.
    ///
    /// - Parameter token: The token and its key.
    /// - Returns: The result of ``SignedToken/isSigned()``.
    /// - Throws: `CancellationError` if the task was cancelled while it waited. The signature was not verified then.
    func isValid(_ token: SignedToken) async throws(CancellationError) -> Bool

    /// Verifies several tokens of one caller.
    ///
    /// - Parameter tokens: The tokens with their keys, of any algorithms.
    /// - Returns: The result of ``SignedToken/isSigned()`` for each token, in the same order.
    func areValid(_ tokens: [SignedToken]) -> [Bool]
}
