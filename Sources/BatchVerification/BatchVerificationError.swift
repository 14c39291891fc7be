// SPDX-License-Identifier: Apache-2.0

/// The reason several signatures cannot be verified at once.
///
/// Branch on ``code``. Print ``reason`` for people. Neither ever holds a token, a proof or a key.
public struct BatchVerificationError: Error, Sendable, CustomStringConvertible {
    /// What went wrong, for programs; new codes may be added in a minor version.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The stable name of the code, in lower camel case.
        public let rawValue: String

        /// There is no library that verifies several signatures at once, or none that can be relied on.
        public static let acceleratorUnavailable = Self("acceleratorUnavailable")

        private init(_ rawValue: String) {
            self.rawValue = rawValue
        }

        /// The stable name of the code.
        public var description: String { rawValue }
    }

    /// What went wrong, for programs.
    public let code: Code
    /// What went wrong, for people: one sentence without a final full stop.
    public let reason: String
    /// The error of a lower floor or of the system that led to this one.
    public let underlying: (any Error)?

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - code: What went wrong, for programs.
    ///   - reason: What went wrong, for people; never a secret.
    ///   - underlying: The error that led to this one.
    public init(_ code: Code, _ reason: String, underlying: (any Error)? = nil) {
        self.code = code
        self.reason = reason
        self.underlying = underlying
    }

    /// The code and the reason.
    public var description: String { "\(code): \(reason)" }
}

extension BatchVerificationError {
    /// The library cannot be had, or not be relied on.
    static func unavailable(_ reason: String, underlying: (any Error)? = nil) -> BatchVerificationError {
        BatchVerificationError(.acceleratorUnavailable, reason, underlying: underlying)
    }
}
