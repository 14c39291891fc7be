// SPDX-License-Identifier: Apache-2.0

import HTTPMessage

/// Compares redirect URIs by component, without query and fragment.
enum RedirectURIComparison {
    /// Whether two URIs have the same scheme, host, port and path.
    ///
    /// Scheme and host are compared case-insensitively, since operating systems pass URLs in lower case. The path is
    /// compared exactly (RFC 9700 section 4.1).
    static func isSame(_ left: URI, _ right: URI, ignoringLoopbackPort: Bool) -> Bool {
        guard left.scheme.lowercased() == right.scheme.lowercased(), left.userinfo == nil, right.userinfo == nil,
            path(left).utf8.elementsEqual(path(right).utf8)
        else { return false }
        // RFC 8252 section 7.3: any port, and [::1] where 127.0.0.1 is not available.
        if ignoringLoopbackPort, left.isLoopbackIPLiteral, right.isLoopbackIPLiteral { return true }
        if ignoringLoopbackPort, left.scheme.lowercased() == "http", left.host == "localhost", right.host == "localhost"
        {
            return true
        }
        return left.host?.lowercased() == right.host?.lowercased() && left.port == right.port
    }

    private static func path(_ uri: URI) -> String {
        uri.path.isEmpty && uri.host != nil ? "/" : uri.path
    }
}
