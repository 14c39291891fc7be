// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore

/// Reads the form of a POST request (RFC 6749 section 3.2).
enum FormBody {
    /// In bytes.
    ///
    /// Larger bodies are rejected before decoding; the caller of the engine may not enforce a limit of its own.
    private static let maximumSize = 65_536

    static func parameters(of request: HTTPRequest) throws(ProtocolFailure) -> FormParameters {
        guard request.fields.hasMediaType(FormParameters.mediaType) else {
            throw ProtocolFailure(.invalidRequest, "the body must be \(FormParameters.mediaType)", status: 415)
        }
        guard request.body.count <= maximumSize else {
            throw ProtocolFailure(.invalidRequest, "the body is longer than \(maximumSize) bytes", status: 413)
        }
        do {
            return try FormParameters(decoding: request.body, maximumCount: 64)
        } catch {
            throw ProtocolFailure(.invalidRequest, "the body is not a form: \(error.reason)")
        }
    }
}
