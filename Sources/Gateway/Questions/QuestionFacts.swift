// SPDX-License-Identifier: Apache-2.0

import HTTPMessage

/// What a question says besides the request, for CORS and for logs.
enum QuestionFacts {
    /// The fields of the client that are read.
    private static let read = [
        "Authorization", "DPoP", "Origin", "Access-Control-Request-Method", "X-Request-Id", "traceparent",
    ]

    /// Whether a field of the client that is read has a value that is no text (RFC 9110 section 5.5).
    static func hasUnreadableField(_ question: HTTPRequest) -> Bool {
        question.fields.all.contains { field in
            field.value == HTTPFields.unreadable && read.contains { ASCII.isSameIgnoringCase($0, field.name) }
        }
    }

    /// The method that a CORS preflight asks for; `nil` if the request is none (Fetch standard, "CORS-preflight request").
    static func preflightMethod(_ method: String, _ fields: HTTPFields) -> String? {
        let requested = fields.values(for: "Access-Control-Request-Method")
        guard method == "OPTIONS", fields.values(for: "Origin").count == 1, requested.count == 1,
            fields.values(for: "Authorization").isEmpty, fields.values(for: "DPoP").isEmpty
        else { return nil }
        return requested[0]
    }

    /// The nearest address of the last `X-Forwarded-For`, which the proxy itself wrote.
    static func clientAddress(_ forwardedFor: String) -> String? {
        let text = forwardedFor.split(separator: ",").last.map { $0.filter { $0 != " " } }
        return text.flatMap { IPAddress(parsing: $0)?.description }
    }

    static func requestID(_ question: HTTPRequest) -> String? {
        let given = question.fields.values(for: "X-Request-Id")
        guard given.count == 1, (1...64).contains(given[0].utf8.count), given[0].utf8.allSatisfy(ASCII.isUnreserved)
        else { return nil }
        return given[0]
    }
}
