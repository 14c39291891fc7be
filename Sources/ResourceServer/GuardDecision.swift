// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage

/// What became of a request.
public enum GuardDecision: Sendable {
    /// The request is authorized.
    case accepted(AuthorizedRequest)
    /// The request is refused: the response to send, with its challenge.
    case refused(HTTPResponse)
}
