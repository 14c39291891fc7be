// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import StrictJSON

/// What a client asks to be registered as (RFC 7591 section 3.1), read and capped but not judged.
struct RegistrationRequest {
    /// More is refused before anything is decoded, in bytes.
    private static let maximumSize = 16_384

    let metadata: ClientMetadata
    /// How many keys `jwks` has, those that are private or of unknown types too.
    let keyCount: Int

    init(_ http: HTTPRequest) throws(ProtocolFailure) {
        guard http.fields.hasMediaType("application/json") else {
            throw ProtocolFailure(.invalidClientMetadata, "the body must be application/json", status: 415)
        }
        guard http.body.count <= Self.maximumSize else {
            let reason = "the body is longer than \(Self.maximumSize) bytes"
            throw ProtocolFailure(.invalidClientMetadata, reason, status: 413)
        }
        guard let object = (try? JSONValue(parsing: http.body))?.objectValue else {
            throw ProtocolFailure(.invalidClientMetadata, "the body is no JSON object")
        }
        do {
            metadata = try ClientMetadata(parsing: object)
        } catch {
            throw ProtocolFailure(.invalidClientMetadata, "a member of the metadata is not of its type")
        }
        keyCount = object["jwks"]?.objectValue?["keys"]?.arrayValue?.count ?? 0
    }
}
