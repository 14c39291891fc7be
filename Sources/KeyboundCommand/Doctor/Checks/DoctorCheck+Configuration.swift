// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import AuthorizationServer

extension DoctorCheck {
    /// The rules of `keybound serve --check`.
    static let settings = DoctorCheck(.configuration, "settings") { context in
        guard let settings = context.settings else {
            return [.note("no server was looked at", "--config names its configuration")]
        }
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
}
#endif
