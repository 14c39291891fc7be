// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import StrictJSON

extension HTTPTransport {
    /// Sends a request of the protocol, whose answer holds 64 KiB at most.
    func exchange(_ request: HTTPRequest) async throws(OAuthClientError) -> HTTPResponse {
        do {
            return try await send(request, maximumBodySize: 65_536)
        } catch {
            throw OAuthClientError(transport: error)
        }
    }

    /// Fetches a document.
    func get(_ uri: URI) async throws(OAuthClientError) -> HTTPResponse {
        try await exchange(HTTPRequest(method: "GET", target: uri.description, fields: ["Accept": "application/json"]))
    }
}

extension HTTPResponse {
    /// The JSON object that the answer holds.
    func jsonObject() throws -> JSONObject {
        guard let object = try JSONValue(parsing: body).objectValue else {
            throw OAuthClientError(.malformedResponse, "the answer is not a JSON object")
        }
        return object
    }
}
