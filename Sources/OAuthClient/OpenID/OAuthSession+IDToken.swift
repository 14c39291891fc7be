// SPDX-License-Identifier: Apache-2.0

extension OAuthSession {
    /// The id_token of the session, validated when it was received; `nil` without the scope `openid`, and after the session
    /// has ended.
    ///
    /// Nothing is refreshed for it, so ``IDToken/expiresAt`` may have passed: it says who signed in, and how.
    ///
    /// ## Specification
    ///
    /// [OpenID Connect Core §2](https://openid.net/specs/openid-connect-core-1_0.html#IDToken)
    public var idToken: IDToken? {
        get async { (try? await tokenManager.signedInTokens())?.idToken }
    }
}
