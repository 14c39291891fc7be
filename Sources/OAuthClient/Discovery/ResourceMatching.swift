// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthSystem

/// Which `resource` the metadata of an API may have.
///
/// ## Specification
///
/// [RFC 9728 §3.3](https://www.rfc-editor.org/rfc/rfc9728#section-3.3)
public enum ResourceMatching: Sendable, Hashable {
    /// The URL that was asked for, to the last character, as the specification demands.
    case identical
    /// That URL, or one of the same scheme, host and port whose path contains it: `https://api.example/a` covers
    /// `https://api.example/a/b`, and not `https://api.example/ab`.
    ///
    /// Servers of the Model Context Protocol publish one document for the whole host.
    case coveringPath

    package func accepts(_ received: String, for asked: String) -> Bool {
        if received.isIdentical(to: asked) { return true }
        guard self == .coveringPath, let received = try? URI(parsing: received), let asked = try? URI(parsing: asked),
            let origin = received.origin, origin == asked.origin, received.query == nil, received.fragment == nil,
            received.userinfo == nil, !Self.hasDotSegment(received), !Self.hasDotSegment(asked)
        else { return false }
        let parent = received.path.hasSuffix("/") ? String(received.path.dropLast()) : received.path
        return asked.path == parent || asked.path.hasPrefix(parent + "/")
    }

    private static func hasDotSegment(_ uri: URI) -> Bool {
        uri.path.split(separator: "/").contains {
            [".", "..", "%2e", "%2e%2e", ".%2e", "%2e."].contains($0.lowercased())
        }
    }
}
