// SPDX-License-Identifier: Apache-2.0

extension Setting {
    static let passwordContext = Setting(
        "passwordACR",
        .text,
        option: "--password-acr",
        "NAME",
        standard: "urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport",
        "the acr of password sign-ins"
    )
    static let rememberConsentForAnyApp = Setting(
        "rememberConsentForRedirectsThatAnyAppCanTake",
        .flag,
        option: "--remember-consent-for-redirects-that-any-app-can-take",
        standard: "false",
        "remember consent for loopback addresses and app schemes too: another app on the device can then get codes "
            + "without the user's consent"
    )
    static let loginURL = Setting(
        "loginURL",
        .text,
        option: "--login-url",
        "URL",
        standard: "none: the server asks for a password",
        "the external login system that authenticates users: browsers are sent there with a login_challenge"
    )
    static let loginKeys = Setting(
        "loginKeys",
        .path(),
        option: "--login-keys",
        "FILE",
        standard: "none",
        "a JWK set with the public keys that verify the responses of the login system"
    )
    static let loginContexts = Setting(
        "loginACR",
        .text,
        option: "--login-acr",
        "NAMES",
        standard: "none",
        "the authentication contexts (acr) that the login system supports, separated by spaces"
    )

    /// The pages, and the login system that can replace them.
    static let pages: [Setting] = [passwordContext, rememberConsentForAnyApp, loginURL, loginKeys, loginContexts]
}
