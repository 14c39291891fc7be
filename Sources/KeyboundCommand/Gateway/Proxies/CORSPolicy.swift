// SPDX-License-Identifier: Apache-2.0

import HTTPMessage

/// What a proxy tells browsers about scripts of another origin (Fetch standard, section "CORS protocol").
///
/// Requests carry their token in a field and no cookies, so responses never allow credentials.
struct CORSPolicy {
    /// The one origin whose scripts may call the API, as browsers send it.
    let origin: String

    static let methods = "GET, HEAD, POST, PUT, PATCH, DELETE"
    /// Named, because `*` does not include `Authorization`.
    static let requestFields = "authorization, dpop, content-type"
    /// Without them a script sees neither why it was refused nor the nonce for its next proof (RFC 9449 section 8.2).
    static let responseFields = "dpop-nonce, www-authenticate"
    /// Two hours, in seconds: the longest that Chromium keeps a preflight.
    static let maximumAge = 7200

    /// What an API that answers CORS itself may also send; twice, the first makes browsers refuse the response.
    static let apiFields = [
        "Access-Control-Allow-Origin", "Access-Control-Allow-Credentials", "Access-Control-Allow-Methods",
        "Access-Control-Allow-Headers", "Access-Control-Max-Age",
    ]

    /// Reads the value of an option.
    ///
    /// - Throws: ``CommandFailure`` if it is no origin, or not one by which a script can be known.
    init(_ text: String, _ option: String) throws {
        switch text {
        case "*":
            throw CommandFailure.usage(
                "\(option) * would let the scripts of every site read what the API answers",
                hint: "name the origin of your app, such as https://app.example.com"
            )
        case "null":
            throw CommandFailure.usage(
                "\(option) null stands for files and sandboxed frames of anybody, not for your app",
                hint: "serve the app from an origin such as https://app.example.com"
            )
        default: break
        }
        let allowed = { (byte: UInt8) in ASCII.isUnreserved(byte) || "[:]/".utf8.contains(byte) }
        guard let uri = try? URI(parsing: text), let origin = uri.origin, uri.host?.isEmpty == false,
            uri.path.isEmpty, uri.query == nil, uri.fragment == nil, uri.userinfo == nil, text.utf8.allSatisfy(allowed)
        else {
            throw CommandFailure.usage(
                "\(option) \(SafeText.of(text)) is not an origin: a scheme and a host, perhaps a port, without a path or a slash",
                hint: "such as https://app.example.com"
            )
        }
        // Browsers compare byte by byte.
        guard origin == text else {
            throw CommandFailure.usage("\(option) \(SafeText.of(text)): browsers send \(origin)")
        }
        guard uri.scheme == "https" || uri.isLoopbackIPLiteral || uri.host == "localhost" else {
            throw CommandFailure.usage(
                "\(option) is https, or http on this machine: anybody in between can change a page that came over http"
            )
        }
        self.origin = origin
    }
}
