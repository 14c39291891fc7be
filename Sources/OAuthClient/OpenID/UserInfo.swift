// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem
public import StrictJSON

/// What the server says about the user who is signed in.
///
/// It does not print: it is about a person.
///
/// ## Specification
///
/// [OpenID Connect Core §5](https://openid.net/specs/openid-connect-core-1_0.html#UserInfo)
public struct UserInfo: Sendable, RedactedSecret {
    /// `sub`: the user, the same as in the id_token.
    public let subject: String
    /// Every claim.
    public let claims: JSONObject

    /// `name`: the full name, for display.
    public var name: String? { claims["name"]?.stringValue }
    /// `preferred_username`: how the user wants to be called; not unique, and it may change.
    public var preferredUsername: String? { claims["preferred_username"]?.stringValue }
    /// `picture`: the URL of a picture.
    public var picture: String? { claims["picture"]?.stringValue }
    /// `email`: not unique, and it may change: ``subject`` tells users apart.
    public var email: String? { claims["email"]?.stringValue }
    /// `email_verified`: whether the server has made sure that the address is the user's; `false` when it does not say.
    public var isEmailVerified: Bool { claims["email_verified"]?.boolValue ?? false }
}
