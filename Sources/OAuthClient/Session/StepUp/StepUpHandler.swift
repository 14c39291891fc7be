// SPDX-License-Identifier: Apache-2.0

/// Decides whether the user signs in again because an API demands more.
///
/// An app asks the user first: a browser that opens without a word is alarming.
public protocol StepUpHandler: Sendable {
    /// Decides about one demand. Of several calls that meet it together, one asks.
    ///
    /// - Parameter need: What the API demands.
    /// - Returns: Whether, and with which user agent, the user signs in.
    /// - Throws: Any error: the call fails with it, as ``OAuthClientError/Code/userAgentFailed``.
    func stepUp(_ need: StepUpNeed) async throws -> StepUpDecision
}
