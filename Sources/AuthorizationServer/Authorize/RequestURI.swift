// SPDX-License-Identifier: Apache-2.0

import ServerStorage

/// `request_uri` of a stored request (RFC 9126 section 2.2).
struct RequestURI: Sendable {
    private static let prefix = "urn:ietf:params:oauth:request_uri:"

    /// What is random in it; forms of pages carry it alone.
    let reference: String
    /// By which the request is stored.
    let hash: SecretHash

    var text: String { Self.prefix + reference }

    init(reference: String) {
        (self.reference, hash) = (reference, SecretHash(of: reference))
    }

    /// `nil` when it is not one of this server.
    init?(parsing text: String) {
        guard text.utf8.starts(with: Self.prefix.utf8) else { return nil }
        self.init(reference: String(text.dropFirst(Self.prefix.count)))
    }
}
