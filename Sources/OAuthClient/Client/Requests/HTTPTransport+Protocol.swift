// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import StrictJSON

extension HTTPTransport {
    /// Sends a protocol request.
    ///
    /// The response may have at most 64 KiB.
    func exchange(
        _ request: HTTPRequest,
        _ attempt: RequestAttempt
    ) async throws(OAuthClientError) -> HTTPResponse {
        do {
            return try await reporting(attempt).send(request, maximumBodySize: 65_536)
        } catch {
            throw OAuthClientError(transport: error)
        }
    }

    /// Fetches a document.
    func get(
        _ uri: URI,
        _ attempt: RequestAttempt = RequestAttempt(.metadata)
    ) async throws(OAuthClientError) -> HTTPResponse {
        let request = HTTPRequest(method: "GET", target: uri.description, fields: ["Accept": "application/json"])
        return try await exchange(request, attempt)
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
