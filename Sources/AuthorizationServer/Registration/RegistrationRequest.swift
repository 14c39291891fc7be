// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import StrictJSON

/// A client registration request (RFC 7591 section 3.1), decoded within limits but not checked.
struct RegistrationRequest {
    /// In bytes.
    ///
    /// Larger requests are rejected before decoding.
    private static let maximumSize = 16_384

    let metadata: ClientMetadata
    /// `dpop_bound_access_tokens`; `nil` if it is absent, which leaves it to the server (RFC 7591 section 3.2.1).
    let dpopBoundAccessTokens: Bool?
    /// The number of keys in `jwks`, including private keys and keys of unknown types.
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
        try self.init(object)
    }

    /// Metadata that were decoded already.
    init(_ object: JSONObject) throws(ProtocolFailure) {
        let object = object.withoutNulls
        do {
            metadata = try ClientMetadata(parsing: object)
        } catch {
            throw ProtocolFailure(.invalidClientMetadata, "a member of the metadata is not of its type")
        }
        dpopBoundAccessTokens = object["dpop_bound_access_tokens"]?.boolValue
        keyCount = object["jwks"]?.objectValue?["keys"]?.arrayValue?.count ?? 0
    }
}

extension JSONObject {
    /// The members that say something: in client metadata `null` is the same as no member (RFC 7592 section 2.2).
    var withoutNulls: JSONObject {
        var rest = self
        for member in members where member.value == .null { rest[member.name] = nil }
        return rest
    }
}
