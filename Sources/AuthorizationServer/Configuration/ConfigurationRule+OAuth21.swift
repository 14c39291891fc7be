// SPDX-License-Identifier: Apache-2.0

extension ConfigurationRule {
    /// The OAuth 2.1 Authorization Framework (draft-ietf-oauth-v2-1), where it exceeds RFC 9700, and the rules that it
    /// adopts from RFC 6749.
    static let oauth21: [ConfigurationRule] = [
        ConfigurationRule(
            "guessing-tokens",
            "RFC 6749 section 10.10",
            setting: "limits.token",
            problem: "an attacker can guess codes and tokens without limit",
            advice: "leave the limit on, or let a proxy limit these requests"
        ) { $0.rateLimits.token == nil },
        ConfigurationRule(
            "guessing-passwords",
            "RFC 6749 section 10.10",
            setting: "limits.login",
            problem: "one address can guess the passwords of all users without limit",
            advice: "leave the limit on, or let a proxy limit these requests"
        ) { $0.rateLimits.login == nil && $0.loginSystem == nil },
        ConfigurationRule(
            "short-lived-access-tokens",
            "OAuth 2.1 section 7.1.3",
            setting: "lifetimes.accessToken",
            problem: "access tokens are valid for more than an hour, and most APIs do not notice a revocation",
            advice: "make them valid for an hour at most: clients refresh them automatically"
        ) { $0.lifetimes.accessToken > .seconds(3600) },
    ]
}
