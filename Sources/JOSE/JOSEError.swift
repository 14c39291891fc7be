// SPDX-License-Identifier: Apache-2.0

/// The reason why a JOSE object could not be parsed, created or accepted.
///
/// Branch on ``code``. ``reason`` is text for people. Neither ever contains a token, a proof or a key.
public struct JOSEError: Error, Sendable, CustomStringConvertible, CustomReflectable {
    /// What went wrong, for programs.
    ///
    /// A minor version may add codes.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The stable name of the code, in lower camel case.
        public let rawValue: String

        /// The JWK is not a public key of a supported type (RFC 7517, RFC 7518 section 6).
        public static let malformedKey = Self("malformedKey")
        /// The text is not a JWS in compact serialization (RFC 7515 section 3.1), exceeds a limit, or has a segment
        /// that is not strict base64url or strict JSON.
        ///
        /// In the last case ``underlying`` is a `StrictJSONError`.
        public static let malformedToken = Self("malformedToken")
        /// The algorithm is unknown, not in the allow-list, or does not fit the key (RFC 8725 section 3.1).
        public static let algorithmNotAllowed = Self("algorithmNotAllowed")
        /// No key of the set fits the token.
        public static let keyNotFound = Self("keyNotFound")
        /// The signature does not verify.
        public static let invalidSignature = Self("invalidSignature")
        /// A claim or header parameter is missing, has the wrong type, or fails the validation rules.
        public static let invalidClaim = Self("invalidClaim")
        /// The token is past its `exp`.
        public static let expired = Self("expired")
        /// The time is before `nbf`, or `iat` is in the future.
        public static let notYetValid = Self("notYetValid")
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

    /// Code and reason: the error underneath may be of a store or a device, and hold anything.
    public var customMirror: Mirror { Mirror(self, children: ["code": code.rawValue, "reason": reason]) }
}
