// SPDX-License-Identifier: Apache-2.0

/// Why the server could not be set up, or an operator's command failed.
///
/// Branch on ``code``. Show ``reason`` to users. Neither ever contains a token, a proof or a key.
public struct AuthorizationServerError: Error, Sendable, CustomStringConvertible {
    /// What went wrong, for programs; new codes may be added in a minor version.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The stable name of the code, in lower camel case.
        public let rawValue: String

        /// The configuration contradicts itself or a specification.
        public static let invalidConfiguration = Self("invalidConfiguration")
        /// The storage failed.
        public static let storageFailed = Self("storageFailed")
        /// There is no user, client, grant or registration token of that name.
        public static let notFound = Self("notFound")
        /// A user or client with that name exists.
        public static let alreadyExists = Self("alreadyExists")
        /// The server is overloaded; retry soon.
        public static let busy = Self("busy")
        /// The caller has too much work waiting; retry soon.
        public static let tooManyAtOnce = Self("tooManyAtOnce")
        /// A password could not be hashed, or a stored hash cannot be read.
        public static let passwordHashingFailed = Self("passwordHashingFailed")
        /// A value from the operator is not acceptable.
        public static let invalidValue = Self("invalidValue")

        private init(_ rawValue: String) {
            self.rawValue = rawValue
        }

        /// The stable name of the code.
        public var description: String { rawValue }
    }

    /// What went wrong, for programs.
    public let code: Code
    /// What went wrong, for users: one sentence without a final full stop.
    public let reason: String
    /// The setting at fault, as the configuration file of `keybound serve` names it; `nil` if no setting is, or not
    /// known.
    public let setting: String?
    /// The error of a lower layer or of the system that caused this one.
    public let underlying: (any Error)?

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - code: What went wrong, for programs.
    ///   - reason: What went wrong, for users; never a secret.
    ///   - setting: The setting at fault, as the configuration file names it.
    ///   - underlying: The error that caused this one.
    public init(_ code: Code, _ reason: String, setting: String? = nil, underlying: (any Error)? = nil) {
        self.code = code
        self.reason = reason
        self.setting = setting
        self.underlying = underlying
    }

    /// A setting that is not acceptable.
    static func invalid(_ setting: String, _ reason: String) -> Self {
        Self(.invalidConfiguration, reason, setting: setting)
    }

    /// The code and the reason.
    public var description: String { "\(code): \(reason)" }
}
