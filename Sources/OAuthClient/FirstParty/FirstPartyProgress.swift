// SPDX-License-Identifier: Apache-2.0

/// What came of a step of a sign-in without a browser.
public enum FirstPartyProgress: Sendable {
    /// The user has to answer another step, or the same one again.
    case next(FirstPartySignIn)
    /// The sign-in goes on in the browser.
    case redirectToWeb(WebContinuation)
    /// The user is signed in, and the tokens are stored.
    case finished(OAuthSession)
}
