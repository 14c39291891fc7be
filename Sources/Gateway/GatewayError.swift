// SPDX-License-Identifier: Apache-2.0

/// Why a gateway could not be set up.
///
/// Branch on ``code``. Show ``reason`` to users. Neither ever contains a token, a proof or a key.
public struct GatewayError: Error, Sendable, CustomStringConvertible {
    /// What went wrong, for programs; new codes may be added in a minor version.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The stable name of the code, in lower camel case.
        public let rawValue: String

        /// The configuration cannot work: the reason says what to change.
        public static let invalidConfiguration = Self("invalidConfiguration")
        /// A rule is malformed.
        public static let invalidRule = Self("invalidRule")

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

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - code: What went wrong, for programs.
    ///   - reason: What went wrong, for users; never a secret.
    public init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    /// The code and the reason.
    public var description: String { "\(code): \(reason)" }
}
