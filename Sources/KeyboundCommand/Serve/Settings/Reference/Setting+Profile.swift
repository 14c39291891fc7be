// SPDX-License-Identifier: Apache-2.0

extension Setting {
    static let profile = Setting(
        "profile",
        .text,
        option: "--profile",
        "PROFILE",
        standard: "native",
        "the rules that the server follows: native for apps (RFC 9700, RFC 8252), or fapi2 for clients with their own "
            + "keys (FAPI 2.0 Security Profile); a profile sets what it requires",
        choices: ["native", "fapi2"]
    )

    /// Settings that decide several others.
    static let profiles: [Setting] = [profile]
}
