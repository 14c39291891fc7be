// SPDX-License-Identifier: Apache-2.0

extension Setting {
    static let passwordContext = Setting(
        "passwordACR",
        .text,
        option: "--password-acr",
        "NAME",
        standard: "urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport",
        "the acr of those who sign in with a password"
    )
    static let rememberConsentForAnyApp = Setting(
        "rememberConsentForRedirectsThatAnyAppCanTake",
        .flag,
        option: "--remember-consent-for-redirects-that-any-app-can-take",
        standard: "false",
        "remember consent also for loopback addresses and schemes of apps: another app on the device can then get codes "
            + "that nobody agreed to"
    )
    static let loginURL = Setting(
        "loginURL",
        .text,
        option: "--login-url",
        "URL",
        standard: "none: the server asks for a password",
        "the login system that decides who somebody is: where browsers are sent with a login_challenge"
    )
    static let loginKeys = Setting(
        "loginKeys",
        .text,
        option: "--login-keys",
        "FILE",
        standard: "none",
        "a JWK set with the public keys that the login system signs its answers with"
    )
    static let loginContexts = Setting(
        "loginACR",
        .text,
        option: "--login-acr",
        "NAMES",
        standard: "none",
        "the ways to sign in (acr) that the login system knows, with a space between"
    )

    /// What is decided about the pages, and about what takes their place.
    static let pages: [Setting] = [passwordContext, rememberConsentForAnyApp, loginURL, loginKeys, loginContexts]
}
