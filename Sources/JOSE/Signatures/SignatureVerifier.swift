// SPDX-License-Identifier: Apache-2.0

/// Verifies signatures, alone or together with others that are waiting.
///
/// Where a configuration has none, each signature is verified by itself, at once. The answers are the same.
public protocol SignatureVerifier: Sendable {
    /// Whether a token is signed by its key. Whether the algorithm is allowed is the caller's concern.
    ///
    /// - Parameter token: The token and its key.
    /// - Returns: What ``SignedToken/isSigned()`` says.
    /// - Throws: `CancellationError` when the task was cancelled while it waited; then nothing was verified.
    func isValid(_ token: SignedToken) async throws(CancellationError) -> Bool

    /// The same for several tokens that one caller holds.
    ///
    /// - Parameter tokens: The tokens with their keys, of any algorithms.
    /// - Returns: What ``SignedToken/isSigned()`` says of each, in their order.
    func areValid(_ tokens: [SignedToken]) -> [Bool]
}
