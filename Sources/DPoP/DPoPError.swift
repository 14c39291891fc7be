// SPDX-License-Identifier: Apache-2.0

/// The reason a DPoP proof could not be made, or was not accepted.
///
/// Branch on ``code``; ``step`` names the check that failed. Print ``reason`` for people. None ever holds a token, a proof
/// or a key.
public struct DPoPError: Error, Sendable, CustomStringConvertible {
    /// What went wrong, for programs; new codes may be added in a minor version.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The stable name of the code, in lower camel case.
        public let rawValue: String

        /// There is no proof although one is needed.
        public static let missingProof = Self("missingProof")
        /// The proof is not accepted: `invalid_dpop_proof` on the wire.
        public static let invalidProof = Self("invalidProof")
        /// A nonce is needed, or another one: `use_dpop_nonce` on the wire, with a new nonce (RFC 9449 section 8).
        public static let nonceRequired = Self("nonceRequired")
        /// The proof is of another key than the one that the token, code or request is bound to.
        public static let keyMismatch = Self("keyMismatch")
        /// The proof was used before.
        public static let replayed = Self("replayed")
        /// The replay store holds all it can, or does not answer: 503 on the wire, never acceptance.
        public static let replayStoreUnavailable = Self("replayStoreUnavailable")
        /// The URI is not one that a proof can be made for.
        public static let invalidTargetURI = Self("invalidTargetURI")
        /// The task was cancelled before the signature of the proof was verified.
        public static let cancelled = Self("cancelled")
        /// The key did not sign.
        public static let signingFailed = Self("signingFailed")

        private init(_ rawValue: String) {
            self.rawValue = rawValue
        }

        /// The stable name of the code.
        public var description: String { rawValue }
    }

    /// What went wrong, for programs.
    public let code: Code
    /// The check that failed; `nil` when a proof was being made.
    public let step: ProofStep?
    /// What went wrong, for people: one sentence without a final full stop.
    public let reason: String
    /// The error of a lower floor or of the system that led to this one.
    public let underlying: (any Error)?

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - code: What went wrong, for programs.
    ///   - reason: What went wrong, for people; never a secret.
    ///   - step: The check that failed.
    ///   - underlying: The error that led to this one.
    public init(_ code: Code, _ reason: String, step: ProofStep? = nil, underlying: (any Error)? = nil) {
        self.code = code
        self.step = step
        self.reason = reason
        self.underlying = underlying
    }

    /// The code, the step and the reason.
    public var description: String {
        guard let step else { return "\(code): \(reason)" }
        return "\(code) (\(step)): \(reason)"
    }
}
