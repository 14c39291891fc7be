// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import ServerStorage

/// The web origins that a client may be registered for (RFC 6454 section 6.2).
enum WebOriginRules {
    private static let maximumCount = 16

    static func check(_ origins: [String]) throws(AuthorizationServerError) {
        guard origins.count <= maximumCount else { throw refusal("a client has at most \(maximumCount) web origins") }
        for origin in origins { try check(origin) }
    }

    /// A browser sends the serialized form, so nothing else can match; nor does an asterisk, which some expect to.
    private static func check(_ text: String) throws(AuthorizationServerError) {
        guard let uri = try? URI(parsing: text), uri.origin == text, !text.contains("*") else {
            throw refusal("a web origin is a scheme and a host, as in https://app.example, without a path or a slash")
        }
        guard uri.scheme == "https" || uri.isLoopbackIPLiteral || uri.host == "localhost" else {
            throw refusal("a web origin is https, or http on this machine")
        }
    }

    private static func refusal(_ reason: String) -> AuthorizationServerError {
        AuthorizationServerError(.invalidValue, reason)
    }
}
