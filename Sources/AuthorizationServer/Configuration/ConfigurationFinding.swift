// SPDX-License-Identifier: Apache-2.0

/// A violation of a specification by a configuration.
public struct ConfigurationFinding: Sendable, Hashable {
    /// How severe a finding is.
    public enum Severity: String, Sendable, Hashable {
        /// The profile forbids it: the server does not start.
        case error
        /// The server starts, but the specification advises against it.
        case warning
    }

    /// The name of the rule, such as `fapi2-pushed-requests`; it does not change.
    public let rule: String
    /// The specification and section that state the rule.
    public let section: String
    /// The setting, as named in the configuration file.
    public let setting: String
    /// What is wrong, in one sentence.
    public let problem: String
    /// How to fix it.
    public let advice: String
    /// How severe it is.
    public let severity: Severity
}
