// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage

/// The result of checking a request.
public enum GuardDecision: Sendable {
    /// All checks passed; the value has the claims of the token.
    case accepted(AuthorizedRequest)
    /// The request is rejected: the response to send, with its challenge.
    case refused(HTTPResponse)
}
