// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem
public import StrictJSON

/// The claims of the server about the signed-in user.
///
/// It does not print: it is personal data.
///
/// ## Specification
///
/// [OpenID Connect Core §5](https://openid.net/specs/openid-connect-core-1_0.html#UserInfo)
public struct UserInfo: Sendable, RedactedSecret {
    /// `sub`: identifies the user, as in the id_token.
    public let subject: String
    /// All claims.
    public let claims: JSONObject

    /// `name`: the full name, for display.
    public var name: String? { claims["name"]?.stringValue }
    /// `preferred_username`: the name that the user prefers; not unique, and it may change.
    public var preferredUsername: String? { claims["preferred_username"]?.stringValue }
    /// `picture`: the URL of a picture.
    public var picture: String? { claims["picture"]?.stringValue }
    /// `email`: not unique, and it may change; use ``subject`` to tell users apart.
    public var email: String? { claims["email"]?.stringValue }
    /// `email_verified`: whether the server has verified that the address is the user's; `false` when it does not say.
    public var isEmailVerified: Bool { claims["email_verified"]?.boolValue ?? false }
}
