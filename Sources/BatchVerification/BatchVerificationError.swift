// SPDX-License-Identifier: Apache-2.0

/// The reason why signatures cannot be verified in batches.
///
/// Branch on ``code``. ``reason`` is text for people. Neither ever contains a token, a proof or a key.
public struct BatchVerificationError: Error, Sendable, CustomStringConvertible {
    /// What went wrong, for programs.
    ///
    /// A minor version may add codes.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The stable name of the code, in lower camel case.
        public let rawValue: String

        /// There is no backend for batch verification, or none that works correctly.
        public static let acceleratorUnavailable = Self("acceleratorUnavailable")

        private init(_ rawValue: String) {
            self.rawValue = rawValue
        }

        /// The stable name of the code.
        public var description: String { rawValue }
    }

    /// What went wrong, for programs.
    public let code: Code
    /// What went wrong, for people: one sentence without a full stop.
    public let reason: String
    /// The error of a lower layer or of the system that caused this one.
    public let underlying: (any Error)?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: What went wrong, for programs.
    ///   - reason: What went wrong, for people; never a secret.
    ///   - underlying: The error that caused this one.
    public init(_ code: Code, _ reason: String, underlying: (any Error)? = nil) {
        self.code = code
        self.reason = reason
        self.underlying = underlying
    }

    /// The code and the reason.
    public var description: String { "\(code): \(reason)" }
}

extension BatchVerificationError {
    /// The library is unavailable or does not work correctly.
    static func unavailable(_ reason: String, underlying: (any Error)? = nil) -> BatchVerificationError {
        BatchVerificationError(.acceleratorUnavailable, reason, underlying: underlying)
    }
}
