// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import ServerStorage

/// The redirect URIs that may be registered (RFC 9700 section 2.1, RFC 8252 sections 7 and 8).
enum RedirectURIRules {
    static func check(_ text: String, of type: ApplicationType?) throws(AuthorizationServerError) {
        guard let uri = try? URI(parsing: text), uri.fragment == nil, uri.userinfo == nil else {
            throw refusal("a redirect URI is absolute, without fragment and user information (RFC 6749 section 3.1.2)")
        }
        switch uri.scheme {
        case "https":
            guard uri.host?.isEmpty == false, type != .web || uri.host != "localhost" else {
                throw refusal("an https redirect URI has a host, and that of a web app is not localhost")
            }
        case _ where type == .web:
            throw refusal("the redirect URIs of a web app are https (OpenID Connect Registration section 2)")
        case "http":
            // RFC 8252 section 8.3: the name may resolve to another interface, so only apps that say what they are may
            // use it.
            guard uri.isLoopbackIPLiteral || (type == .native && uri.host == "localhost") else {
                throw refusal(
                    "http is allowed for http://127.0.0.1 and http://[::1] only, and for http://localhost of a native "
                        + "app (RFC 8252 section 8.3)"
                )
            }
        default:
            // RFC 8252 section 7.1: a reversed domain name; `javascript` and `data` have no dot.
            guard uri.scheme.contains(".") else {
                throw refusal("an app's own scheme is a reversed domain name, such as com.example.app")
            }
        }
        try checkQuery(of: uri)
    }

    /// Rejects a registered `code` or `state`: the response would have it twice, and the client might use the wrong
    /// one.
    private static func checkQuery(of uri: URI) throws(AuthorizationServerError) {
        guard let query = uri.query else { return }
        guard let parameters = try? FormParameters(decoding: query),
            parameters.all.allSatisfy({ !responseParameters.contains($0.name) })
        else { throw refusal("the query of a redirect URI has none of the parameters of a response, such as code") }
    }

    private static let responseParameters: Set<String> = [
        "code", "state", "iss", "error", "error_description", "error_uri", "response", "access_token", "id_token",
    ]

    private static func refusal(_ reason: String) -> AuthorizationServerError {
        AuthorizationServerError(.invalidValue, reason)
    }
}
