// SPDX-License-Identifier: Apache-2.0

/// The reason why a DPoP proof could not be created or was rejected.
///
/// Branch on ``code``; ``step`` names the failed check. ``reason`` is text for people. None of them ever contains a
/// token, a proof or a key.
public struct DPoPError: Error, Sendable, CustomStringConvertible, CustomReflectable {
    /// What went wrong, for programs.
    ///
    /// A minor version may add codes.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The stable name of the code, in lower camel case.
        public let rawValue: String

        /// The request has no proof, although one is required.
        public static let missingProof = Self("missingProof")
        /// The proof is rejected; on the wire, `invalid_dpop_proof`.
        public static let invalidProof = Self("invalidProof")
        /// A nonce is required, or a newer one; on the wire, `use_dpop_nonce` with a new nonce (RFC 9449 section 8).
        public static let nonceRequired = Self("nonceRequired")
        /// The token, code or request is bound to another key than the one that signed the proof.
        public static let keyMismatch = Self("keyMismatch")
        /// The proof was used before.
        public static let replayed = Self("replayed")
        /// The replay store is full or does not respond; on the wire, status 503.
        ///
        /// The proof is never accepted.
        public static let replayStoreUnavailable = Self("replayStoreUnavailable")
        /// No proof can be created for the URI.
        public static let invalidTargetURI = Self("invalidTargetURI")
        /// The task was cancelled before the signature of the proof was verified.
        public static let cancelled = Self("cancelled")
        /// The key could not sign.
        public static let signingFailed = Self("signingFailed")

        private init(_ rawValue: String) {
            self.rawValue = rawValue
        }

        /// The stable name of the code.
        public var description: String { rawValue }
    }

    /// What went wrong, for programs.
    public let code: Code
    /// The failed check; `nil` for an error while creating a proof.
    public let step: ProofStep?
    /// What went wrong, for people: one sentence without a full stop.
    public let reason: String
    /// The error of a lower layer or of the system that caused this one.
    public let underlying: (any Error)?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: What went wrong, for programs.
    ///   - reason: What went wrong, for people; never a secret.
    ///   - step: The failed check.
    ///   - underlying: The error that caused this one.
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

    /// Code, reason and step: the error underneath may be of a store or a device, and hold anything.
    public var customMirror: Mirror {
        Mirror(self, children: ["code": code.rawValue, "reason": reason, "step": step as Any])
    }
}
