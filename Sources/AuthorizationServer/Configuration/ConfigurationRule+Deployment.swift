// SPDX-License-Identifier: Apache-2.0

import DPoP

extension ConfigurationRule {
    /// Rules about how a server runs.
    static let deployment: [ConfigurationRule] = [
        ConfigurationRule(
            "replay-memory-without-nonces",
            "RFC 9449 section 11.1",
            setting: "replayStore",
            problem: "without nonces, proofs that were used before a restart can be used again",
            advice: "set replayStore to database, or leave noncePolicy at required",
            .error
        ) { $0.noncePolicy == .off && $1.remembersProofsInMemory },
        ConfigurationRule(
            "listening-for-everybody",
            "RFC 9700 section 2.6",
            setting: "listen",
            problem: "other machines can connect without TLS, and no proxy is named",
            advice: "listen on a loopback address, or name the proxies that end TLS with trustedProxies"
        ) { $1.isReachableByOthers && !$1.namesProxies },
    ]
}
