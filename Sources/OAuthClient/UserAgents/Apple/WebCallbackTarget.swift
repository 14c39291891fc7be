// SPDX-License-Identifier: Apache-2.0

#if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
import AuthenticationServices
import Foundation
import HTTPMessage

/// The callback that ends a session of the system's browser.
enum WebCallbackTarget: Sendable, Equatable {
    case customScheme(String)
    case https(host: String, path: String)

    /// Parses a redirect URI.
    init(_ redirectURI: String) throws(OAuthClientError) {
        guard let uri = try? URI(parsing: redirectURI), uri.userinfo == nil, uri.fragment == nil else {
            throw Self.unsupported
        }
        switch uri.scheme.lowercased() {
        case "https":
            guard let host = uri.host, !host.isEmpty, uri.port == nil || uri.port == 443 else { throw Self.unsupported }
            self = .https(host: host, path: uri.path.isEmpty ? "/" : uri.path)
        case "http", "file", "data", "javascript", "about", "blob":
            throw Self.unsupported
        case let scheme:
            self = .customScheme(scheme)
        }
    }

    /// The callback for the system's API.
    var callback: ASWebAuthenticationSession.Callback {
        switch self {
        case .customScheme(let scheme): .customScheme(scheme)
        case .https(let host, let path): .https(host: host, path: path)
        }
    }

    /// The URL of an authorization request for the system.
    func url(of request: AuthorizationRequest) throws(OAuthClientError) -> URL {
        guard request.responseMode.carrier != .form else {
            throw OAuthClientError(
                .unsupportedResponseMode,
                "the system hands an app the URL of the answer only: use query or fragment, with or without jwt"
            )
        }
        guard let url = URL(string: request.url) else {
            throw OAuthClientError(.invalidArgument, "the system takes the authorization request for no URL")
        }
        return url
    }

    private static let unsupported = OAuthClientError(
        .unsupportedRedirectURI,
        "the system's browser comes back to a scheme of the app's own, or to https on the default port"
    )
}
#endif
