// SPDX-License-Identifier: Apache-2.0

/// The reason the server could not be set up, or could not do what an operator asked.
///
/// Branch on ``code``. Print ``reason`` for people. Neither ever holds a token, a proof or a key.
public struct AuthorizationServerError: Error, Sendable, CustomStringConvertible {
    /// What went wrong, for programs; new codes may be added in a minor version.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The stable name of the code, in lower camel case.
        public let rawValue: String

        /// The configuration contradicts itself or a specification.
        public static let invalidConfiguration = Self("invalidConfiguration")
        /// The storage did not answer.
        public static let storageFailed = Self("storageFailed")
        /// A user or client of that name exists.
        public static let alreadyExists = Self("alreadyExists")
        /// There is more work waiting than the server takes on; it can be tried again soon.
        public static let busy = Self("busy")
        /// A password could not be hashed, or a stored hash cannot be read.
        public static let passwordHashingFailed = Self("passwordHashingFailed")
        /// A value that an operator gave is not acceptable.
        public static let invalidValue = Self("invalidValue")

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
