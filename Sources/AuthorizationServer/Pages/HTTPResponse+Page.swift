// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCrypto
import StrictJSON

extension HTTPResponse {
    /// A page: no scripts except a named one, no framing (RFC 9700 section 4.16), no caching, and forms only to this
    /// server and one redirect URI.
    ///
    /// Chromium applies `form-action` to the 303 after a form too, so the target of the response is allowed.
    static func page(
        _ html: String,
        status: Int = 200,
        redirectURI: String? = nil,
        script: String? = nil,
        _ services: Services
    ) -> HTTPResponse {
        // "Not you?" leads to the login provider, if there is one.
        let targets = [redirectURI, services.configuration.loginSystem?.loginURL.description]
        let formTarget = targets.compactMap { $0.flatMap(formActionSource) }.map { " " + $0 }.joined()
        let scripts = script.map { "script-src '\(hash(of: $0))'; " } ?? ""
        return HTTPResponse(
            status: status,
            fields: [
                "Content-Type": "text/html; charset=utf-8",
                "Cache-Control": "no-store",
                "Content-Security-Policy":
                    "default-src 'none'; \(scripts)style-src '\(styleHash)'; img-src 'self' data:; form-action 'self'\(formTarget); "
                    + "frame-ancestors 'none'; base-uri 'none'",
                "X-Frame-Options": "DENY",
                "X-Content-Type-Options": "nosniff",
                // Not no-referrer: browsers would then post forms with `Origin: null`.
                "Referrer-Policy": "same-origin",
                "Cross-Origin-Opener-Policy": "same-origin",
            ],
            body: Array(html.utf8)
        )
    }

    /// The hash of the style sheet (CSP Level 3 section 6.7.3.3).
    private static let styleHash = hash(of: PageStyle.css)

    private static func hash(of text: String) -> String {
        "sha256-" + Base64.encode(SHA256.hash(Array(text.utf8)).bytes)
    }

    /// The page that posts a response to a client.
    static func formPostPage(_ html: String, redirectURI: String, _ services: Services) -> HTTPResponse {
        var response = page(html, redirectURI: redirectURI, script: FormPostPage.script, services)
        // Lets the client see the sender: with same-origin, browsers would send `Origin: null` there.
        response.fields["Referrer-Policy"] = "origin"
        return response
    }

    /// A redirect URI as a source expression (CSP Level 3 section 2.3.1): its origin, or its scheme.
    ///
    /// A source expression cannot name an IPv6 address: browsers ignore such an expression and then block the redirect.
    private static func formActionSource(_ redirectURI: String) -> String? {
        guard let uri = try? URI(parsing: redirectURI) else { return nil }
        guard let origin = uri.origin, uri.host?.utf8.allSatisfy(isHostCharacter) ?? false else {
            return uri.scheme + ":"
        }
        return origin
    }

    /// Whether a byte is `host-char` or a dot; a URI allows others too, such as a semicolon, which would begin a directive.
    private static func isHostCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default:
            false
        }
    }
}
