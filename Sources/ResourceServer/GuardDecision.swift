// SPDX-License-Identifier: Apache-2.0

/// The result of checking a request.
public enum GuardDecision: Sendable {
    /// All checks passed; the value has the claims of the token.
    case accepted(AuthorizedRequest)
    /// The request is rejected: the response to send, and why.
    case rejected(Rejection)
}
