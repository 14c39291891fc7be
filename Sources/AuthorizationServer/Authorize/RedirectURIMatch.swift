// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthSystem

/// Compares redirect URIs exactly, except for the port of a loopback address.
enum RedirectURIMatch {
    /// Whether a registered redirect URI leads to an app on the device of the user: all but those of https do (RFC 8252
    /// section 7).
    static func staysOnDevice(_ registered: String) -> Bool {
        guard let uri = try? URI(parsing: registered) else { return false }
        return uri.scheme != "https"
    }

    static func matches(_ sent: String, registered: String) -> Bool {
        sent.isIdentical(to: registered) || matchesLoopback(sent, registered: registered)
    }

    /// RFC 8252 section 7.3: an app listens on any free port, so a registered loopback address matches with any port.
    private static func matchesLoopback(_ sent: String, registered: String) -> Bool {
        guard let sent = try? URI(parsing: sent), let registered = try? URI(parsing: registered) else { return false }
        return registered.scheme == "http" && (registered.isLoopbackIPLiteral || registered.host == "localhost")
            && sent.scheme == registered.scheme && sent.host == registered.host && sent.path == registered.path
            && sent.query == registered.query && sent.userinfo == nil && sent.fragment == nil
    }
}
