// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import StrictJSON

extension HTTPTransport {
    /// Sends a protocol request.
    ///
    /// The response may have at most 64 KiB.
    func exchange(_ request: HTTPRequest) async throws(OAuthClientError) -> HTTPResponse {
        do {
            return try await send(request, maximumBodySize: 65_536)
        } catch {
            throw OAuthClientError(transport: error)
        }
    }

    func get(_ uri: URI) async throws(OAuthClientError) -> HTTPResponse {
        try await exchange(HTTPRequest(method: "GET", target: uri.description, fields: ["Accept": "application/json"]))
    }
}

extension HTTPResponse {
    /// Parses the body as a JSON object.
    func jsonObject() throws -> JSONObject {
        guard let object = try JSONValue(parsing: body).objectValue else {
            throw OAuthClientError(.malformedResponse, "the answer is not a JSON object")
        }
        return object
    }
}
