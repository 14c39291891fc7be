// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage
public import OAuthCore

/// What a sign-in asks for beyond its scopes; nothing unless set.
///
/// What is of the wrong form is refused when the sign-in begins.
///
/// ## Specification
///
/// [OpenID Connect Core §3.1.2.1](https://openid.net/specs/openid-connect-core-1_0.html#AuthRequest)
public struct AuthorizationOptions: Sendable, Hashable {
    /// What the tokens are to be used at: absolute URIs without a fragment, 32 at most (RFC 8707).
    ///
    /// The first access token is for all of them, unless the exchange asks for some only; see
    /// ``OAuth2Client/exchangeAuthorizationCode(_:resources:authorizationDetails:)`` and
    /// ``TokenManager/fetch(resources:replacing:)``.
    public var resources: [String] = []
    /// What is asked for in more words than a scope has; 16 KiB of JSON at most (RFC 9396).
    ///
    /// Of a server that names the types it knows, no other is asked for. What was granted is in
    /// ``TokenSet/authorizationDetails``: less than this, or more, since a server fills in what the user chose (section 7.1).
    public var authorizationDetails: [AuthorizationDetail] = []
    /// `acr_values`: the authentication contexts that would do, the preferred one first; a wish.
    ///
    /// For one that must be met, ask for the essential claim `acr` with ``claims``.
    public var acrValues: [String] = []
    /// `max_age`: how long before the sign-in began the user may have signed in; whole seconds, and zero for anew.
    ///
    /// With the scope `openid` the id_token must say that it was kept.
    public var maxAge: Duration?
    /// `prompt`: what the user is asked for, even when that is not needed.
    public var prompts: [AuthorizationPrompt] = []
    /// `login_hint`: who will sign in, as the server knows them: an address or a name; 1024 bytes at most.
    public var loginHint: String?
    /// `ui_locales`: the languages of the pages, the preferred one first (BCP 47).
    public var uiLocales: [String] = []
    /// `display`: how the pages should look.
    public var display: PageDisplay?
    /// `claims`: single claims about the user.
    public var claims: ClaimsRequest?
    /// `id_token_hint`: the user who must sign in, by an id_token of an earlier session; another user is refused.
    public var idTokenHint: IDToken?
    /// Further parameters of the authorization request, for which there is no name here.
    ///
    /// None may be one that the client sets itself, or that is set above too.
    public var additionalParameters: FormParameters
    /// How the answer is to come back; what comes back in another way is refused.
    public var responseMode: ResponseMode

    /// Makes options.
    ///
    /// - Parameters:
    ///   - additionalParameters: Further parameters of the authorization request.
    ///   - responseMode: How the answer is to come back.
    public init(additionalParameters: FormParameters = [:], responseMode: ResponseMode = .query) {
        self.additionalParameters = additionalParameters
        self.responseMode = responseMode
    }
}
