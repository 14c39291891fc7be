// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthSystem

/// A redirect URI of a client, in one of the forms for apps (RFC 8252 section 7), or any other.
///
/// Register the same text with the server: it is compared character by character, except for the port on a loopback address.
public struct RedirectURI: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The URI as it is sent.
    public let text: String

    /// Takes a URI that is written in the source; ``OAuth2Client`` checks it.
    ///
    /// - Parameter value: The URI.
    public init(stringLiteral value: String) {
        text = value
    }

    /// Checks a URI.
    ///
    /// - Parameter text: An absolute URI without a fragment (RFC 6749 section 3.1.2).
    /// - Throws: ``OAuthClientError/Code/invalidArgument``.
    public init(_ text: String) throws(OAuthClientError) {
        guard let uri = try? URI(parsing: text), uri.fragment == nil else {
            throw OAuthClientError(.invalidArgument, "the redirect URI is not an absolute URI without a fragment")
        }
        self.text = text
    }

    /// A port of this machine that is chosen at each sign-in, for command-line tools and desktop apps:
    /// `http://127.0.0.1/callback` (RFC 8252 section 7.3).
    public static let loopback: RedirectURI = "http://127.0.0.1/callback"

    /// A scheme of the app, for apps of phones: `com.example.app:/callback` (RFC 8252 section 7.1).
    ///
    /// Other apps can claim the same scheme; PKCE keeps them from using the code. Where the platform allows it, prefer
    /// ``https(host:path:)``.
    ///
    /// - Parameters:
    ///   - scheme: A domain name of yours in reverse, such as `com.example.app`.
    ///   - path: The path, which begins with a slash.
    /// - Returns: The URI.
    /// - Throws: ``OAuthClientError/Code/invalidArgument`` for a scheme without a dot, which may be anyone's.
    public static func scheme(
        _ scheme: String,
        path: String = "/callback"
    ) throws(OAuthClientError) -> RedirectURI {
        guard scheme.contains("."), path.hasPrefix("/"), !path.hasPrefix("//"),
            (try? URI(parsing: scheme + ":" + path))?.scheme.isIdentical(to: scheme) == true
        else {
            throw OAuthClientError(
                .invalidArgument,
                "the scheme is not a domain name in reverse, such as com.example.app, or the path does not begin with one slash"
            )
        }
        return try RedirectURI(scheme + ":" + path)
    }

    /// A page of a domain that is associated with the app: `https://app.example.com/callback` (RFC 8252 section 7.2).
    ///
    /// - Parameters:
    ///   - host: The host, without a port.
    ///   - path: The path, which begins with a slash.
    /// - Returns: The URI.
    /// - Throws: ``OAuthClientError/Code/invalidArgument``.
    public static func https(host: String, path: String = "/callback") throws(OAuthClientError) -> RedirectURI {
        let text = "https://" + host + path
        guard path.hasPrefix("/"), let uri = try? URI(parsing: text), uri.userinfo == nil, uri.port == nil,
            uri.host?.isIdentical(to: host) == true, uri.query == nil
        else {
            throw OAuthClientError(
                .invalidArgument,
                "the redirect URI needs the name of a host, and a path that begins with a slash"
            )
        }
        return try RedirectURI(text)
    }

    /// The URI.
    public var description: String { text }
}
