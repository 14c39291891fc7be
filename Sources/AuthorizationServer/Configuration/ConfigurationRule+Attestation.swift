// SPDX-License-Identifier: Apache-2.0

import DPoP

extension ConfigurationRule {
    /// Attestation-Based Client Authentication (draft-ietf-oauth-attestation-based-client-auth-11).
    static let attestation: [ConfigurationRule] = [
        ConfigurationRule(
            "attestation-without-nonces",
            "draft-ietf-oauth-attestation-based-client-auth-11 section 6",
            setting: "noncePolicy",
            problem: "proofs of attested clients need a nonce, and nonces are off",
            advice: "leave noncePolicy at required, or leave attesters out",
            .error
        ) { !$0.attesters.isEmpty && $0.noncePolicy == .off },
        ConfigurationRule(
            "attestation-in-fapi2",
            "FAPI 2.0 section 5.3.2.1",
            setting: "attesters",
            problem: "the profile allows only clients with keys of their own",
            advice: "leave attesters out, or choose the profile native",
            .error
        ) { $0.profile == .fapi2 && !$0.attesters.isEmpty },
        ConfigurationRule(
            "attestation-age",
            "draft-ietf-oauth-attestation-based-client-auth-11 section 7.1",
            setting: "attesters",
            problem:
                "attestations are accepted for more than a day, even if the app has been withdrawn since",
            advice: "set maximumAge to 24h at most"
        ) { configuration in configuration.attesters.contains { $0.maximumAge > .seconds(86_400) } },
    ]
}
