// SPDX-License-Identifier: Apache-2.0

/// The reason a fake could not be set up or could not work.
///
/// Branch on ``code``; ``reason`` is text for humans. Neither ever holds a token, a proof or a key.
public struct OAuthTestingError: Error, Sendable, CustomStringConvertible {
    /// What went wrong, for programs; new codes may be added in a minor version.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The stable name of the code, in lower camel case.
        public let rawValue: String

        /// The configuration of a fake is one that a real server would reject.
        public static let invalidConfiguration = Self("invalidConfiguration")
        /// A page of the server was neither the login page nor the consent page.
        public static let unexpectedPage = Self("unexpectedPage")
        /// The bytes are not a recording.
        public static let malformedRecording = Self("malformedRecording")

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
    /// The error of a lower layer that caused this one.
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
