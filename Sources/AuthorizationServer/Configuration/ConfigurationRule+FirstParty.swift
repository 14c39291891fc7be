// SPDX-License-Identifier: Apache-2.0

extension ConfigurationRule {
    /// OAuth 2.0 for First-Party Applications.
    static let firstParty: [ConfigurationRule] = [
        ConfigurationRule(
            "first-party-without-attester",
            "OAuth 2.0 for First-Party Applications section 9.4",
            setting: "firstParty",
            problem: "no attester is configured, so no app may sign in without a browser",
            advice: "name the service that attests your apps with attesters, or set allowUnattestedFirstParty",
            .error
        ) { $0.firstParty.isOn && $0.attesters.isEmpty && !$0.firstParty.allowsUnattestedClients },
        ConfigurationRule(
            "first-party-unattested",
            "OAuth 2.0 for First-Party Applications section 9.4",
            setting: "allowUnattestedFirstParty",
            problem: "any program can pose as a first-party app and ask users for their passwords",
            advice: "let the apps authenticate by attestation, and leave allowUnattestedFirstParty at false"
        ) { $0.firstParty.isOn && $0.firstParty.allowsUnattestedClients },
        ConfigurationRule(
            "first-party-in-fapi2",
            "FAPI 2.0 section 5.3.2.1",
            setting: "firstParty",
            problem: "the profile is for confidential clients, and apps that ask for passwords are not confidential",
            advice: "leave firstParty at false, or choose the profile native",
            .error
        ) { $0.profile == .fapi2 && $0.firstParty.isOn },
    ]
}
