// SPDX-License-Identifier: Apache-2.0

/// The reason why Redis cannot remember used proofs.
///
/// Branch on ``code``; ``reason`` is text for people. Neither ever contains a password, a proof or a key.
public struct RedisReplayError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What went wrong, for programs.
    ///
    /// A minor version may add codes.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The stable name of the code, in lower camel case.
        public let rawValue: String

        /// The address is not one that can be used.
        public static let invalidAddress = Self("invalidAddress")
        /// Redis does not answer, not in time, or takes no writes now: whether the proof is recorded is unknown, and it must
        /// be rejected.
        public static let unavailable = Self("unavailable")
        /// Redis answers, but must be set up otherwise before it may remember proofs.
        public static let misconfigured = Self("misconfigured")
        /// The store was closed.
        public static let closed = Self("closed")

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

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: What went wrong, for programs.
    ///   - reason: What went wrong, for people; never a secret.
    init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    /// The code and the reason.
    public var description: String { "\(code): \(reason)" }
}
