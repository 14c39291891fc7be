// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage

/// The result of checking a request.
public enum GuardDecision: Sendable {
    /// The request is authorized.
    case accepted(AuthorizedRequest)
    /// The request is rejected: the response to send, with its challenge.
    case refused(HTTPResponse)
}
