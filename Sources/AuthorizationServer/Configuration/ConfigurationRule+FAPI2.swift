// SPDX-License-Identifier: Apache-2.0

import HTTPMessage

extension ConfigurationRule {
    /// The FAPI 2.0 Security Profile.
    ///
    /// These rules apply only to servers with that profile.
    static let fapi2: [ConfigurationRule] = [
        ConfigurationRule(
            "fapi2-sender-constrained-tokens",
            "FAPI 2.0 section 5.3.2.1",
            setting: "allowBearerTokens",
            problem: "tokens need not be bound to a key",
            advice: "leave allowBearerTokens out, or choose the profile native",
            .error
        ) { $0.profile == .fapi2 && !$0.requireDPoP },
        ConfigurationRule(
            "fapi2-pushed-requests",
            "FAPI 2.0 section 5.3.2.2",
            setting: "requirePushedAuthorizationRequests",
            problem: "authorization requests need not be pushed",
            advice: "leave the setting out, or choose the profile native",
            .error
        ) { $0.profile == .fapi2 && !$0.requirePushedAuthorizationRequests },
        ConfigurationRule(
            "fapi2-assertion-algorithms",
            "FAPI 2.0 section 5.4.1",
            setting: "clientAssertionAlgorithms",
            problem: "clients may sign assertions by another algorithm than PS256, ES256 and EdDSA",
            advice: "allow these only",
            .error
        ) { configuration in
            guard let allowed = configuration.profile.signatureAlgorithms else { return false }
            return !configuration.clientAssertionAlgorithms.isSubset(of: allowed)
        },
        ConfigurationRule(
            "fapi2-assertion-audience",
            "FAPI 2.0 section 5.3.2.1",
            setting: "assertionAudience",
            problem: "clients may sign assertions for an endpoint instead of the issuer",
            advice: "leave the setting out",
            .error
        ) { $0.profile == .fapi2 && $0.assertionAudience != .issuer },
        ConfigurationRule(
            "fapi2-request-algorithms",
            "FAPI 2.0 section 5.4.1",
            setting: "requestObjectAlgorithms",
            problem: "clients may sign requests by another algorithm than PS256, ES256 and EdDSA",
            advice: "allow these only",
            .error
        ) { configuration in
            guard let allowed = configuration.profile.signatureAlgorithms else { return false }
            return !configuration.requestObjectAlgorithms.isSubset(of: allowed)
        },
        ConfigurationRule(
            "fapi2-token-algorithms",
            "FAPI 2.0 section 5.4.1",
            setting: "resources",
            problem: "the tokens of an API are signed by another algorithm than PS256, ES256 and EdDSA",
            advice: "leave its algorithm out",
            .error
        ) { configuration in
            guard let allowed = configuration.profile.signatureAlgorithms else { return false }
            return !configuration.resources.compactMap(\.signingAlgorithm).allSatisfy(allowed.contains)
        },
        ConfigurationRule(
            "fapi2-code-lifetime",
            "FAPI 2.0 section 5.3.2.1",
            setting: "lifetimes.authorizationCode",
            problem: "authorization codes are valid for more than 60 seconds",
            advice: "at most 60s",
            .error
        ) { $0.profile == .fapi2 && $0.lifetimes.authorizationCode > .seconds(60) },
        ConfigurationRule(
            "fapi2-request-lifetime",
            "FAPI 2.0 section 5.3.2.2",
            setting: "lifetimes.authorizationRequest",
            problem: "pushed requests are valid for 600 seconds or more",
            advice: "less than 600s",
            .error
        ) { $0.profile == .fapi2 && $0.lifetimes.authorizationRequest >= .seconds(600) },
        ConfigurationRule(
            "fapi2-encrypted-connections",
            "FAPI 2.0 section 5.2.1",
            setting: "issuer",
            problem: "the issuer is an http address",
            advice: "use https; the profile requires it",
            .warning
        ) { $0.profile == .fapi2 && $0.issuer.scheme != "https" },
        ConfigurationRule(
            "fapi2-no-rotation",
            "FAPI 2.0 section 5.3.2.1",
            setting: "lifetimes.refreshGrace",
            problem: "the setting has no effect: refresh tokens are not replaced in this profile",
            advice: "leave it out",
            .warning
        ) { $0.profile == .fapi2 && $0.lifetimes.refreshGrace != Lifetimes().refreshGrace },
    ]
}
