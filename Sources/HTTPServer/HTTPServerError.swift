// SPDX-License-Identifier: Apache-2.0

/// The reason the listener could not start.
///
/// Branch on ``code``; ``reason`` is text for humans. Neither ever holds a token, a proof or a key.
public struct HTTPServerError: Error, Sendable, CustomStringConvertible {
    /// What went wrong, for programs; new codes may be added in a minor version.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The stable name of the code, in lower camel case.
        public let rawValue: String

        /// The address is not a literal of IPv4 or IPv6.
        public static let invalidAddress = Self("invalidAddress")
        /// The address or port cannot be listened on.
        public static let cannotListen = Self("cannotListen")

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
    /// The error of a lower layer or of the system that caused this one.
    public let underlying: (any Error)?

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - code: What went wrong, for programs.
    ///   - reason: What went wrong, for humans; never a secret.
    ///   - underlying: The error that caused this one.
    public init(_ code: Code, _ reason: String, underlying: (any Error)? = nil) {
        self.code = code
        self.reason = reason
        self.underlying = underlying
    }

    /// The code and the reason.
    public var description: String { "\(code): \(reason)" }
}
