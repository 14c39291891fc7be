// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import AuthorizationServer

extension DoctorCheck {
    /// The rules of `keybound serve --check`.
    static let settings = DoctorCheck(.configuration, "settings") { context in
        guard let settings = context.settings else { return withoutServer(context.variables) }
        let report = ConfigurationReport(
            try ServerConfiguration(unchecked: settings),
            try Deployment(settings, ServerPaths(settings))
        )
        guard !report.findings.isEmpty else {
            _ = try ServerConfiguration(settings)
            return [.good("the settings follow the specifications")]
        }
        return report.findings.map { finding in
            let text = "\(finding.setting): \(finding.problem)"
            return finding.severity == .error ? .failure(text, finding.advice) : .warning(text, finding.advice)
        }
    }

    /// What the variables of a machine without a server mean: settings of one that is not named, or nothing.
    private static func withoutServer(_ variables: [String]) -> [DoctorFinding] {
        // The credential of a key is a setting of clients too.
        let settings = Setting.all.filter { $0 != .keyCredentialFile }.map(\.variable)
        var findings: [DoctorFinding] = []
        if let setting = variables.sorted().first(where: { settings.contains($0) }) {
            findings.append(
                .note(
                    "no server was checked: $\(setting) is set, but no server is named",
                    "--config names its configuration, or $\(Setting.issuer.variable) its issuer"
                )
            )
        } else {
            findings.append(.note("no server was checked", "--config names its configuration"))
        }
        do {
            try ServerSettings.refuseUnknownVariables(variables)
        } catch {
            let failure = CommandFailure(describing: error)
            findings.append(.warning(failure.message, failure.hints.joined(separator: "; ")))
        }
        return findings
    }
}
#endif
