// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore

/// Why a request is rejected, as reported to the client (RFC 6749 sections 4.1.2.1 and 5.2).
///
/// The description is a fixed sentence and never repeats received text.
struct ProtocolFailure: Error {
    let code: OAuthErrorCode
    let description: String
    let status: Int
    /// Additional header fields, such as `DPoP-Nonce`.
    var fields: HTTPFields
    /// What was wrong in more detail, for audit events; never received text.
    var problem: String?
    /// The step at which a proof failed, for audit events.
    var proofStep: String?

    init(_ code: OAuthErrorCode, _ description: String, status: Int = 400, fields: HTTPFields = [:]) {
        self.code = code
        self.description = description
        self.status = status
        self.fields = fields
    }

    /// An error that a page sends to the client, for a client that asks itself.
    init(_ error: OAuthErrorResponse) {
        self.init(error.error, error.errorDescription ?? "")
    }

    /// The storage or a key failed.
    ///
    /// The client may retry and learns nothing else.
    static let unavailable = ProtocolFailure(
        .serverError,
        "the server cannot answer at this moment",
        status: 503,
        fields: ["Retry-After": "2"]
    )
}
