// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage
public import OAuthCore

/// What a sign-in requests in addition to its scopes.
///
/// By default, nothing.
///
/// Malformed values are rejected when the sign-in begins.
///
/// ## Specification
///
/// [OpenID Connect Core §3.1.2.1](https://openid.net/specs/openid-connect-core-1_0.html#AuthRequest)
public struct AuthorizationOptions: Sendable, Hashable, CustomReflectable {
    /// `resource`: the APIs that the tokens are for, as absolute URIs without a fragment, 32 at most (RFC 8707).
    ///
    /// The first access token is for all of them, unless the code exchange names only some; see
    /// ``OAuth2Client/exchangeAuthorizationCode(_:resources:authorizationDetails:)`` and
    /// ``TokenManager/fetch(resources:replacing:)``.
    public var resources: [String] = []
    /// `authorization_details`: what to request in more detail than scopes can express; 16 KiB of JSON at most (RFC
    /// 9396).
    ///
    /// If the metadata lists the supported types, only those can be requested. ``TokenSet/authorizationDetails`` has
    /// what was granted. It may be less than requested, or more, since a server fills in what the user chose (section
    /// 7.1).
    public var authorizationDetails: [AuthorizationDetail] = []
    /// `acr_values`: the acceptable authentication contexts, the preferred one first.
    ///
    /// The server may use another one.
    ///
    /// For a context that must be met, request the essential claim `acr` with ``claims``.
    public var acrValues: [String] = []
    /// `max_age`: the maximum time between the user's authentication and the start of the sign-in, in whole seconds;
    /// zero requires a new authentication.
    ///
    /// With the scope `openid`, the id_token must prove it.
    public var maxAge: Duration?
    /// `prompt`: what the server must ask the user for, even when it is not needed.
    public var prompts: [AuthorizationPrompt] = []
    /// `login_hint`: the user who will sign in, as the server knows them: an address or a name; 1024 bytes at most.
    public var loginHint: String?
    /// `ui_locales`: the languages of the pages, the preferred one first (BCP 47).
    public var uiLocales: [String] = []
    /// `display`: how the pages should look.
    public var display: PageDisplay?
    /// `claims`: individual claims about the user.
    public var claims: ClaimsRequest?
    /// `id_token_hint`: the user who must sign in, identified by an id_token of an earlier session; any other user is
    /// rejected.
    public var idTokenHint: IDToken?
    /// `sub` of the user who must sign in; not sent, but required of the id_token before any token is stored.
    var expectedSubject: String?
    /// Further parameters of the authorization request that have no property here.
    ///
    /// None may be a parameter that the client sets itself, or one that is set by a property above.
    public var additionalParameters: FormParameters
    /// `response_mode`: how the response comes back.
    ///
    /// A response in another mode is rejected.
    public var responseMode: ResponseMode

    /// Makes options.
    ///
    /// - Parameters:
    ///   - additionalParameters: Further parameters of the authorization request.
    ///   - responseMode: How the response comes back.
    public init(additionalParameters: FormParameters = [:], responseMode: ResponseMode = .query) {
        self.additionalParameters = additionalParameters
        self.responseMode = responseMode
    }

    /// What says nothing of the user: neither `login_hint` nor the expected `sub`.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "resources": resources, "authorizationDetails": authorizationDetails, "acrValues": acrValues,
                "maxAge": maxAge as Any, "prompts": prompts, "claims": claims as Any,
                "additionalParameters": additionalParameters, "responseMode": responseMode,
            ]
        )
    }
}
