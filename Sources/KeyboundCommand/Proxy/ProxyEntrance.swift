// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthSystem

/// Who may send requests through `keybound proxy`, which adds the user's token to them.
///
/// The mode of a socket keeps other users out. A port is open to every user of the machine, and to the pages that a
/// browser shows, so a program must know a secret there. No page may use either.
struct ProxyEntrance: Sendable {
    /// The field with the secret.
    static let field = "Keybound-Proxy-Secret"

    /// The secret that a request through a port must have; `nil` for a socket in the file system.
    let secret: String?

    /// Why a request is rejected; `nil` if it may pass.
    func objection(to request: HTTPRequest) -> String? {
        // RFC 6454 section 7.3: browsers send it with requests that a page makes of another site.
        guard request.fields["Origin"] == nil else {
            return "a request with an Origin field comes from a web page, and pages may not use the proxy"
        }
        // RFC 9110 section 7.2. A name of a site that leads here is an attack on a browser (DNS rebinding).
        let hosts = request.fields.values(for: "Host")
        guard hosts.count == 1, let host = hosts.first, Self.isLoopback(host) else {
            return "the Host field must be localhost, 127.0.0.1 or [::1]"
        }
        guard let secret else {
            return request.isFromUnixSocket ? nil : "the request did not come through the socket"
        }
        let given = request.fields.values(for: Self.field)
        guard given.count == 1, let value = given.first, value.isIdenticalInConstantTime(to: secret) else {
            return "send the field \(Self.field) with the secret that keybound proxy printed when it started"
        }
        return nil
    }

    private static func isLoopback(_ host: String) -> Bool {
        guard let uri = try? URI(parsing: "http://" + host), uri.userinfo == nil, uri.path.isEmpty, uri.query == nil,
            uri.fragment == nil
        else { return false }
        return uri.isLoopbackIPLiteral || uri.host?.lowercased() == "localhost"
    }
}
