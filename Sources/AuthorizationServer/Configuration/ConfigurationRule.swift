// SPDX-License-Identifier: Apache-2.0

import ServerStorage

/// One rule that a configuration may violate.
struct ConfigurationRule: Sendable {
    let name: String
    let section: String
    /// The setting, as named in the configuration file.
    let setting: String
    let problem: String
    let advice: String
    let severity: ConfigurationFinding.Severity
    let isBroken: @Sendable (ServerConfiguration, Deployment) -> Bool

    init(
        _ name: String,
        _ section: String,
        setting: String,
        problem: String,
        advice: String,
        _ severity: ConfigurationFinding.Severity = .warning,
        isBroken: @escaping @Sendable (ServerConfiguration, Deployment) -> Bool
    ) {
        self.name = name
        self.section = section
        self.setting = setting
        self.problem = problem
        self.advice = advice
        self.severity = severity
        self.isBroken = isBroken
    }

    /// A rule about the configuration alone.
    init(
        _ name: String,
        _ section: String,
        setting: String,
        problem: String,
        advice: String,
        _ severity: ConfigurationFinding.Severity = .warning,
        isBroken: @escaping @Sendable (ServerConfiguration) -> Bool
    ) {
        self.init(name, section, setting: setting, problem: problem, advice: advice, severity) { configuration, _ in
            isBroken(configuration)
        }
    }

    /// Every rule, by document.
    static let all: [ConfigurationRule] = bestCurrentPractice + oauth21 + fapi2 + attestation + firstParty + deployment

    var finding: ConfigurationFinding {
        ConfigurationFinding(
            rule: name,
            section: section,
            setting: setting,
            problem: problem,
            advice: advice,
            severity: severity
        )
    }
}

extension ServerConfiguration {
    /// Checks the configuration against RFC 9700, OAuth 2.1 and, if it is the profile, FAPI 2.0.
    ///
    /// Rules that no configuration can violate, such as PKCE for every code, are not included.
    ///
    /// - Parameter deployment: How the server runs; `nil` to leave the rules about that out.
    /// - Returns: The violations. With a ``ConfigurationFinding/Severity/error`` the server does not start.
    public func findings(in deployment: Deployment? = nil) -> [ConfigurationFinding] {
        let deployment =
            deployment ?? Deployment(isReachableByOthers: false, namesProxies: false, remembersProofsInMemory: false)
        return ConfigurationRule.all.filter { $0.isBroken(self, deployment) }.map(\.finding)
    }

    /// Rejects a configuration that contradicts its profile.
    func validateProfile() throws(AuthorizationServerError) {
        guard let finding = findings().first(where: { $0.severity == .error }) else { return }
        throw AuthorizationServerError(
            .invalidConfiguration,
            "\(finding.setting): \(finding.problem) (\(finding.section)); \(finding.advice)"
        )
    }
}
