// SPDX-License-Identifier: Apache-2.0

/// What a rule of a specification says against a configuration.
public struct ConfigurationFinding: Sendable, Hashable {
    /// How bad it is.
    public enum Severity: String, Sendable, Hashable {
        /// The profile forbids it: the server does not start.
        case error
        /// The server starts, but the specification advises against it.
        case warning
    }

    /// The name of the rule, such as `fapi2-pushed-requests`; it does not change.
    public let rule: String
    /// Where the rule stands.
    public let section: String
    /// The setting, as the configuration file names it.
    public let setting: String
    /// What is wrong, in one sentence.
    public let problem: String
    /// What to do about it.
    public let advice: String
    /// How bad it is.
    public let severity: Severity
}
