// SPDX-License-Identifier: Apache-2.0

/// The reason a part of an HTTP message could not be read.
///
/// Branch on ``code``; ``reason`` is text for humans. Neither holds a received value, which may be a secret.
public struct HTTPMessageError: Error, Sendable, CustomStringConvertible {
    /// What went wrong, for programs; new codes may be added in a minor version.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The stable name of the code, in lower camel case.
        public let rawValue: String

        /// The text is not a URI by RFC 3986.
        public static let malformedURI = Self("malformedURI")
        /// The text is not `application/x-www-form-urlencoded`, or exceeds a limit.
        public static let malformedForm = Self("malformedForm")
        /// A parameter that may occur only once is repeated (RFC 6749 section 3.1).
        public static let duplicateParameter = Self("duplicateParameter")
        /// A challenge or credentials field does not match the grammar of RFC 9110 section 11.
        public static let malformedChallenge = Self("malformedChallenge")

        private init(_ rawValue: String) {
            self.rawValue = rawValue
        }

        /// The stable name of the code.
        public var description: String { rawValue }
    }

    /// What went wrong, for programs.
    public let code: Code
    /// What went wrong, for humans: one sentence without a final full stop.
    public let reason: String

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - code: What went wrong, for programs.
    ///   - reason: What went wrong, for humans; never a received value.
    public init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    /// The code and the reason.
    public var description: String { "\(code): \(reason)" }
}
