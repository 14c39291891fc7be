// SPDX-License-Identifier: Apache-2.0

import OAuthCrypto
import StrictJSON

/// The pages of the loopback receiver, as complete HTTP responses.
///
/// They run no script and load nothing.
enum LoopbackPage {
    /// What the last page says.
    enum Outcome {
        case signedIn
        case notSignedIn
        /// The app has not said in time how the sign-in ended.
        case unknown
        case signedOut

        init(_ outcome: SignInOutcome) {
            switch outcome {
            case .signedIn: self = .signedIn
            case .notSignedIn: self = .notSignedIn
            }
        }
    }

    /// A response with or without a page; the connection ends with it.
    static func response(status: String, outcome: Outcome? = nil, location: String? = nil) -> [UInt8] {
        // For a 404 without a body, a browser shows its own error page.
        let html = outcome.map(page) ?? document(title: status, text: "There is nothing here.")
        let body = Array(html.utf8)
        var head = [
            "HTTP/1.1 \(status)", "Content-Type: text/html; charset=utf-8", "Content-Length: \(body.count)",
            "Connection: close", "Cache-Control: no-store", "Referrer-Policy: no-referrer",
            "Content-Security-Policy: default-src 'none'; style-src 'sha256-\(styleDigest)'; "
                + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            "X-Content-Type-Options: nosniff",
        ]
        if let location { head.append("Location: \(location)") }
        return Array((head.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
    }

    private static func page(_ outcome: Outcome) -> String {
        switch outcome {
        case .signedIn:
            document(title: "Signed in", text: "You can close this window and go back to the application.")
        case .notSignedIn:
            document(
                title: "Not signed in",
                text: "You can close this window. The application shows what went wrong."
            )
        case .unknown:
            document(
                title: "Go back to the application",
                text: "The application completes the sign-in. You can close this window."
            )
        case .signedOut:
            document(title: "Signed out", text: "You can close this window.")
        }
    }

    private static func document(title: String, text: String) -> String {
        """
        <!doctype html>
        <html lang="en">
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>\(title)</title>
        <style>\(style)</style>
        <main><h1>\(title)</h1><p>\(text)</p></main>
        </html>

        """
    }

    private static let style = """
        :root{color-scheme:light dark;font:100%/1.5 system-ui,sans-serif}\
        body{margin:0;min-height:100vh;display:grid;place-items:center}\
        main{padding:2rem;max-width:30rem;text-align:center}h1{font-size:1.5rem}
        """

    private static let styleDigest = Base64.encode(SHA256.hash(Array(style.utf8)).bytes)
}
