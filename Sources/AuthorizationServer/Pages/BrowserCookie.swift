// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCrypto
import OAuthSystem
import ServerStorage
import StrictJSON

/// The cookie of a browser: a random value, from the first page on, renewed when a person signs in.
///
/// Before the login it stands for nothing but this browser; after it, its hash names a stored session.
struct BrowserCookie {
    let value: String

    /// A new value: 256 random bits.
    init(entropy: any Entropy) {
        value = Base64URL.encode(entropy.bytes(32))
    }

    /// The cookie of a request; `nil` when there is none, or several, which somebody else may have planted.
    init?(in request: HTTPRequest, _ services: Services) {
        let start = Array((Self.name(services) + "=").utf8)
        let cookies = request.fields.values(for: "Cookie").flatMap { $0.utf8.split(separator: UInt8(ascii: ";")) }
        let trimmed = cookies.map { cookie in cookie.drop { $0 == UInt8(ascii: " ") } }
        let values = trimmed.filter { $0.starts(with: start) }.compactMap { String($0.dropFirst(start.count)) }
        guard values.count == 1, values[0].utf8.count == 43 else { return nil }
        value = values[0]
    }

    /// The name that the session is stored under.
    var hash: SecretHash { SecretHash(of: value) }

    /// The token that forms carry: only who holds the cookie can have it, and only for this request.
    func csrfToken(for handle: String) -> String {
        token(for: "csrf", handle)
    }

    /// A token for one purpose and one request; who knows it does not know the one for another purpose.
    func token(for purpose: String, _ handle: String) -> String {
        let code = HMACSHA256Key(Array(value.utf8)).authenticationCode(for: Array("\(purpose) \(handle)".utf8))
        return Base64URL.encode(code.bytes)
    }

    /// The field that sets the cookie.
    ///
    /// `__Host-` and `Secure` need https; without them only on a loopback issuer that was asked for by name.
    func setCookie(_ services: Services) -> String {
        let isSecure = services.configuration.issuer.scheme == "https"
        return "\(Self.name(services))=\(value); Path=/; HttpOnly; SameSite=Lax\(isSecure ? "; Secure" : "")"
    }

    private static func name(_ services: Services) -> String {
        services.configuration.issuer.scheme == "https" ? "__Host-keybound" : "keybound-insecure"
    }
}
