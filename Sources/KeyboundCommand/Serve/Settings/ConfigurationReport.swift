// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import StrictJSON

/// Which rules of the specifications a configuration breaks, for `keybound serve --check` and for the log.
struct ConfigurationReport {
    let findings: [ConfigurationFinding]

    init(_ configuration: ServerConfiguration, _ deployment: Deployment) {
        findings = configuration.findings(in: deployment)
    }

    /// Whether the server will start.
    var isValid: Bool { !findings.contains { $0.severity == .error } }

    var json: JSONValue {
        [
            "valid": .bool(isValid),
            "findings": .array(
                findings.map { finding in
                    [
                        "rule": .string(finding.rule), "severity": .string(finding.severity.rawValue),
                        "section": .string(finding.section), "setting": .string(finding.setting),
                        "problem": .string(finding.problem), "advice": .string(finding.advice),
                    ]
                }
            ),
        ]
    }

    var lines: [String] {
        findings.map { finding in
            "\(finding.severity): \(finding.setting): \(finding.problem)\n"
                + "  \(finding.section), \(finding.rule)\n  \(finding.advice)"
        }
    }

    /// One line for the log of a server that starts; `nil` when there is nothing to say.
    var summary: String? {
        guard !findings.isEmpty else { return nil }
        let settings = findings.map(\.setting).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        return "specifications advise against the values of these settings: \(settings.joined(separator: ", ")); "
            + "the same command with --check says why"
    }
}
