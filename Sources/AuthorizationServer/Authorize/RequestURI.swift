// SPDX-License-Identifier: Apache-2.0

/// `request_uri` of a stored request (RFC 9126 section 2.2).
enum RequestURI {
    private static let prefix = "urn:ietf:params:oauth:request_uri:"

    static func text(for handle: String) -> String {
        prefix + handle
    }

    /// The handle in a `request_uri`; `nil` when it is not one of this server.
    static func handle(in text: String) -> String? {
        guard text.utf8.starts(with: prefix.utf8) else { return nil }
        return String(text.dropFirst(prefix.count))
    }
}
