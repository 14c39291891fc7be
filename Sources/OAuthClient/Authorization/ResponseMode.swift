// SPDX-License-Identifier: Apache-2.0

/// How the authorization response comes back, by its registered name (`response_mode`).
///
/// In the modes with `jwt` the server signs the response (JARM).
///
/// ## Specification
///
/// [OAuth 2.0 Multiple Response Types §2.1](https://openid.net/specs/oauth-v2-multiple-response-types-1_0.html#ResponseModes),
/// [Form Post Response Mode](https://openid.net/specs/oauth-v2-form-post-response-mode-1_0.html),
/// [JARM §2.3](https://openid.net/specs/oauth-v2-jarm.html#section-2.3)
public struct ResponseMode: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The registered name, case-sensitive.
    public let rawValue: String

    /// Makes a mode.
    ///
    /// A client supports only the modes that have a constant.
    ///
    /// - Parameter rawValue: The registered name, case-sensitive.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The registered name.
    public var description: String { rawValue }

    /// In the query of the redirect URI.
    public static let query = Self(rawValue: "query")
    /// In the fragment of the redirect URI, which browsers do not send to servers: for apps that receive the whole URL.
    public static let fragment = Self(rawValue: "fragment")
    /// In a form that the browser posts to the redirect URI.
    public static let formPost = Self(rawValue: "form_post")
    /// As a JWT in the query.
    public static let queryJWT = Self(rawValue: "query.jwt")
    /// As a JWT in the fragment.
    public static let fragmentJWT = Self(rawValue: "fragment.jwt")
    /// As a JWT in a form that the browser posts.
    public static let formPostJWT = Self(rawValue: "form_post.jwt")
    /// As a JWT where the server delivers codes by default, which is the query.
    public static let jwt = Self(rawValue: "jwt")

    /// How the response is delivered; `nil` for an unknown mode.
    var carrier: ResponseDelivery? {
        switch self {
        case .query, .queryJWT, .jwt: .query
        case .fragment, .fragmentJWT: .fragment
        case .formPost, .formPostJWT: .form
        default: nil
        }
    }

    /// Whether the server signs the response.
    var isSigned: Bool { [.queryJWT, .fragmentJWT, .formPostJWT, .jwt].contains(self) }
}
