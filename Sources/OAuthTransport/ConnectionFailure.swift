// SPDX-License-Identifier: Apache-2.0

import HTTPMessage

/// What is said when there is no connection to a server.
enum ConnectionFailure {
    /// The reason, with the host and the port: the URL may come from a configuration or from another server.
    ///
    /// - Parameter url: The URL of the request; only its host and port are named, since user information, path and query may
    ///   be secret. `nil` for a server at a socket in the file system.
    /// - Returns: The reason. It also holds where a proxy cannot be reached.
    static func reason(connectingTo url: String?) -> String {
        guard let url, let uri = try? URI(parsing: url), let host = uri.host, !host.isEmpty else {
            return "cannot connect to the server; is it running?"
        }
        // RFC 9110 sections 4.2.1 and 4.2.2.
        let port = uri.port ?? (uri.scheme.lowercased() == "http" ? 80 : 443)
        return "cannot connect to \(host):\(port); is the server running?"
    }
}
