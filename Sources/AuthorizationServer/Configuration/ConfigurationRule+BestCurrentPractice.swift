// SPDX-License-Identifier: Apache-2.0

import DPoP
import HTTPMessage

extension ConfigurationRule {
    /// RFC 9700, and the specifications that it is based on.
    static let bestCurrentPractice: [ConfigurationRule] = [
        ConfigurationRule(
            "sender-constrained-tokens",
            "RFC 9700 section 2.2.1",
            setting: "allowBearerTokens",
            problem: "tokens need not be bound to a key, so a thief can use a stolen one",
            advice: "leave allowBearerTokens out"
        ) { !$0.requireDPoP },
        ConfigurationRule(
            "audience-restriction",
            "RFC 9700 section 2.3",
            setting: "audience",
            problem: "access tokens are for the issuer itself, and not for one API",
            advice: "set the audience to the address of the API"
        ) { !$0.audienceIsOfAPI },
        ConfigurationRule(
            "encrypted-connections",
            "RFC 9700 section 2.6",
            setting: "issuer",
            problem: "the issuer is an http address, so that codes and tokens travel in clear",
            advice: "use https; http is for trying things out on one machine"
        ) { $0.issuer.scheme != "https" },
        ConfigurationRule(
            "trusted-proxies",
            "RFC 9700 section 4.13",
            setting: "trustedProxies",
            problem: "any client can claim to send from any address",
            advice: "name the addresses of the proxies"
        ) { $0.trustedProxies.ranges.contains { $0.description.hasSuffix("/0") } },
        ConfigurationRule(
            "refresh-token-lifetime",
            "RFC 9700 section 4.14.2",
            setting: "lifetimes.refreshToken",
            problem: "an unused refresh token stays valid for more than a year",
            advice: "shorten it: users only have to sign in again after that time without use"
        ) { $0.lifetimes.refreshToken > .seconds(366 * 86_400) },
        ConfigurationRule(
            "refresh-grace",
            "RFC 9700 section 4.14.2",
            setting: "lifetimes.refreshGrace",
            problem: "the use of a stolen refresh token can go undetected for more than two minutes",
            advice: "30s is enough for a client whose answer was lost"
        ) { $0.profile.rotatesRefreshTokens && $0.lifetimes.refreshGrace > .seconds(120) },
        ConfigurationRule(
            "proofs-made-ahead",
            "RFC 9449 section 11.2",
            setting: "noncePolicy",
            problem: "without nonces, an attacker with brief access to a key can make proofs for later use",
            advice: "leave it at required"
        ) { $0.noncePolicy == .off },
        ConfigurationRule(
            "consent-for-any-app",
            "RFC 8252 section 8.6",
            setting: "rememberConsentForRedirectsThatAnyAppCanTake",
            problem: "an app that takes the redirect URI of another app gets codes without the user's consent",
            advice: "leave it off"
        ) { $0.remembersConsentForRedirectsThatAnyAppCanTake },
        ConfigurationRule(
            "open-redirector",
            "RFC 9700 section 4.11.2",
            setting: "errorRedirects",
            problem: "a link to this server leads to the address of any registered client, before anybody is signed in",
            advice: "leave it at signed-in"
        ) { $0.errorRedirects == .always },
    ]
}

extension ServerConfiguration {
    /// Whether access tokens are for an API other than the server that issues them.
    fileprivate var audienceIsOfAPI: Bool {
        var text = audience[...]
        while text.hasSuffix("/") { text.removeLast() }
        return text != issuer.description
    }
}
