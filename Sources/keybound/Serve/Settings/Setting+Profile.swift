// SPDX-License-Identifier: Apache-2.0

extension Setting {
    static let profile = Setting(
        "profile",
        .text,
        option: "--profile",
        "PROFILE",
        standard: "native",
        "the rules that the server keeps: native for apps (RFC 9700, RFC 8252), or fapi2 for clients with keys of their own "
            + "(FAPI 2.0 Security Profile), which sets what it demands"
    )

    /// What decides about several others.
    static let profiles: [Setting] = [profile]
}
