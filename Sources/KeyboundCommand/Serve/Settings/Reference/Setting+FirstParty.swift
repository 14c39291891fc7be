// SPDX-License-Identifier: Apache-2.0

extension Setting {
    static let firstPartySignIn = Setting(
        "firstParty",
        .flag,
        option: "--first-party",
        standard: "false",
        "let apps that were registered with --first-party ask for the password themselves (OAuth 2.0 for First-Party "
            + "Applications)"
    )
    static let allowUnattestedFirstParty = Setting(
        "allowUnattestedFirstParty",
        .flag,
        option: "--allow-unattested-first-party",
        standard: "false",
        "let first-party apps ask for the password even if they do not authenticate by attestation: any program can then "
            + "name such an app and ask for passwords"
    )
    static let authSessionLifetime = Setting(
        "authSessionLifetime",
        .duration,
        option: "--auth-session-lifetime",
        "DURATION",
        standard: "5m",
        "how long a sign-in without a browser may take, 30s to 15m"
    )

    /// Sign-in without a browser.
    static let firstParty: [Setting] = [firstPartySignIn, allowUnattestedFirstParty, authSessionLifetime]
}
