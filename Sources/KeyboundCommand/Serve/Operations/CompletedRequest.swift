// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import StrictJSON

/// The facts of a request that are logged and counted.
///
/// Contains nothing that the sender can choose freely, so no secrets.
struct CompletedRequest {
    private static let knownMethods = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"]

    let method: String
    /// The path of an endpoint, without the query; any other path is `other`.
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
        object["trace_id"] = trace.context.map { .string($0.traceID) }
        object["address"] = trace.clientAddress.map { .string($0.description) }
        object["client_id"] = trace.clientID.map { .string($0) }
        return object
    }

    /// The text of a log line.
    var text: String {
        let parts = [
            trace.id, trace.clientAddress?.description ?? "-", method, path, "\(status)", "\(microseconds)us",
            trace.clientID.map(SafeText.of),
        ]
        return parts.compactMap(\.self).joined(separator: " ")
    }
}
