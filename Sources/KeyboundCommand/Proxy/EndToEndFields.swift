// SPDX-License-Identifier: Apache-2.0

import HTTPMessage

/// The fields that `keybound proxy` passes on: all but those for one connection (RFC 9110 section 7.6.1), and those
/// that it sets itself.
enum EndToEndFields {
    private static let ofConnections: Set<String> = [
        "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info", "proxy-connection", "te",
        "trailer", "transfer-encoding", "upgrade",
    ]

    /// Token, proof and secret are not for the API; host, length and expectation are those of the connection.
    private static let ofProxy: Set<String> = [
        "authorization", "dpop", ProxyEntrance.field.lowercased(), "host", "content-length", "expect",
    ]

    /// Those of a request of a program.
    static func ofRequest(_ fields: HTTPFields) -> HTTPFields {
        let rest = kept(fields, without: ofConnections.union(ofProxy))
        return HTTPFields(rest.all.filter { !$0.name.lowercased().hasPrefix("proxy-") })
    }

    /// Those of a response of the API, without what the listener cannot write.
    ///
    /// For one field in another encoding than UTF-8 (RFC 9110 section 5.5) it would reject the whole response.
    static func ofResponse(_ fields: HTTPFields) -> HTTPFields {
        HTTPFields(kept(fields, without: ofConnections).all.filter(isWritable))
    }

    private static func isWritable(_ field: HTTPFields.Field) -> Bool {
        !field.name.isEmpty && field.name.utf8.allSatisfy { ASCII.isTokenCharacter($0) }
            && field.value.utf8.allSatisfy { !ASCII.isControl($0) || $0 == UInt8(ascii: "\t") }
            // What stands for bytes that are not UTF-8.
            && !field.value.unicodeScalars.contains("\u{FFFD}")
    }

    private static func kept(_ fields: HTTPFields, without names: Set<String>) -> HTTPFields {
        var dropped = names
        // The sender names further fields for this connection only.
        for value in fields.values(for: "Connection") {
            for option in value.split(separator: ",") {
                dropped.insert(option.filter { $0 != " " && $0 != "\t" }.lowercased())
            }
        }
        return HTTPFields(fields.all.filter { !dropped.contains($0.name.lowercased()) })
    }
}
