// SPDX-License-Identifier: Apache-2.0

/// The reason a code verifier or code challenge was rejected.
///
/// Branch on ``code``; ``reason`` is text for humans. Neither ever holds a token, a proof or a key.
public struct PKCEError: Error, Sendable, CustomStringConvertible, CustomReflectable {
    /// What went wrong, for programs; new codes may be added in a minor version.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The stable name of the code, in lower camel case.
        public let rawValue: String

        /// The code verifier is not 43 to 128 unreserved characters (RFC 7636 section 4.1).
        public static let malformedVerifier = Self("malformedVerifier")
        /// The code challenge does not have the form that its method requires (RFC 7636 section 4.2).
        public static let malformedChallenge = Self("malformedChallenge")
        /// The code challenge method is unknown or not allowed (RFC 7636 section 4.3).
        public static let unsupportedMethod = Self("unsupportedMethod")
        /// The code verifier does not belong to the code challenge (RFC 7636 section 4.6).
        public static let mismatch = Self("mismatch")

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

    /// Code and reason: the error underneath may be of a store or a device, and hold anything.
    public var customMirror: Mirror { Mirror(self, children: ["code": code.rawValue, "reason": reason]) }
}
