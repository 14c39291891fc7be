// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCrypto
import OAuthSystem
import ServerStorage
import StrictJSON

/// The cookie of a browser: a random value, set with the first page and renewed when a user signs in.
///
/// Before the login it only identifies the browser. After the login its hash identifies a stored session.
struct BrowserCookie {
    let value: String

    /// Makes a value with 248 random bits.
    ///
    /// - Parameters:
    ///   - shard: That of the user who signed in; `nil` before.
    ///   - now: The time.
    ///   - entropy: The source of random bytes.
    init(in shard: UInt8? = nil, at now: Timestamp, entropy: any Entropy) {
        value = DatedHandle.make(in: shard, at: now, entropy)
    }

    /// The cookie of a request; `nil` if there is none, or several, some of which an attacker may have planted.
    init?(in request: HTTPRequest, _ services: Services) {
        guard let value = request.onlyCookie(named: Self.name(services)), value.utf8.count == DatedHandle.length else {
            return nil
        }
        self.value = value
    }

    /// The hash that the session is stored under.
    var hash: SecretHash { SecretHash(of: value) }

    /// The CSRF token of forms: only the holder of the cookie can have it, and only for this request.
    func csrfToken(for reference: String) -> String {
        token(for: "csrf", reference)
    }

    /// A token for one purpose and one request, from which the token for another purpose cannot be derived.
    func token(for purpose: String, _ reference: String) -> String {
        let code = HMACSHA256Key(Array(value.utf8)).authenticationCode(for: Array("\(purpose) \(reference)".utf8))
        return Base64URL.encode(code.bytes)
    }

    /// The `Set-Cookie` field.
    ///
    /// `__Host-` and `Secure` require https. They are omitted only for a loopback issuer with http, if configured.
    func setCookie(_ services: Services) -> String {
        "\(Self.name(services))=\(value); \(services.cookieAttributes)"
    }

    static func name(_ services: Services) -> String {
        services.configuration.issuer.scheme == "https" ? "__Host-keybound" : "keybound-insecure"
    }
}

extension Services {
    /// The attributes of every cookie.
    var cookieAttributes: String {
        "Path=/; HttpOnly; SameSite=Lax" + (configuration.issuer.scheme == "https" ? "; Secure" : "")
    }
}

extension HTTPRequest {
    /// The value of a cookie; `nil` if there is none, or several, some of which an attacker may have planted.
    func onlyCookie(named name: String) -> String? {
        let start = Array((name + "=").utf8)
        let cookies = fields.values(for: "Cookie").flatMap { $0.utf8.split(separator: UInt8(ascii: ";")) }
        let trimmed = cookies.map { cookie in cookie.drop { $0 == UInt8(ascii: " ") } }
        let values = trimmed.filter { $0.starts(with: start) }.compactMap { String($0.dropFirst(start.count)) }
        return values.count == 1 ? values[0] : nil
    }
}
