// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import StrictJSON

/// What is logged and counted of a request: nothing that its sender could choose freely, so never a secret.
struct AnsweredRequest {
    private static let knownMethods = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"]

    let method: String
    /// The path of an endpoint, without the query; what else was asked for is not repeated.
    let path: String
    let status: Int
    let duration: Duration
    let trace: RequestTrace

    init(_ request: HTTPRequest, _ response: HTTPResponse, after duration: Duration, _ trace: RequestTrace) {
        method = Self.knownMethods.contains(request.method) ? request.method : "other"
        path = trace.endpoint ?? "other"
        status = response.status
        self.duration = duration
        self.trace = trace
    }

    var microseconds: Int64 {
        duration.components.seconds * 1_000_000 + duration.components.attoseconds / 1_000_000_000_000
    }

    /// The members of a JSON log line.
    var json: JSONObject {
        var object: JSONObject = [
            "method": .string(method), "path": .string(path), "status": .init(integerLiteral: Int64(status)),
            "duration_us": .init(integerLiteral: microseconds),
        ]
        object["request_id"] = trace.id.map { .string($0) }
        object["address"] = trace.clientAddress.map { .string($0.description) }
        object["client_id"] = trace.clientID.map { .string($0) }
        return object
    }

    /// A line for people.
    var text: String {
        let parts = [
            trace.id, trace.clientAddress?.description ?? "-", method, path, "\(status)", "\(microseconds)us",
            trace.clientID.map(SafeText.of),
        ]
        return parts.compactMap(\.self).joined(separator: " ")
    }
}
