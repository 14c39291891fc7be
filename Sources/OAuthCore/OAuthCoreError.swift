// SPDX-License-Identifier: Apache-2.0

/// The reason a message or document of the protocol could not be read.
///
/// Branch on ``code``; ``reason`` is text for humans. Neither ever holds a token, a proof or a key.
public struct OAuthCoreError: Error, Sendable, CustomStringConvertible, CustomReflectable {
    /// What went wrong, for programs; new codes may be added in a minor version.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The stable name of the code, in lower camel case.
        public let rawValue: String

        /// The metadata document is not of the form of RFC 8414 section 2.
        public static let malformedMetadata = Self("malformedMetadata")
        /// The token response is not of the form of RFC 6749 section 5.1.
        public static let malformedTokenResponse = Self("malformedTokenResponse")
        /// The scope is not of the form of RFC 6749 section 3.3.
        public static let malformedScope = Self("malformedScope")
        /// The issuer is not a URI of the form of RFC 8414 section 2.
        public static let malformedIssuer = Self("malformedIssuer")
        /// The authorization details are not of the form of RFC 9396 section 2.
        public static let malformedAuthorizationDetails = Self("malformedAuthorizationDetails")
        /// The error response is not of the form of RFC 6749 section 5.2.
        public static let malformedErrorResponse = Self("malformedErrorResponse")
        /// The request got no response.
        public static let transportFailed = Self("transportFailed")
        /// The request cannot be sent this way.
        public static let invalidRequest = Self("invalidRequest")
        /// The task that waited for a response was cancelled.
        public static let cancelled = Self("cancelled")
        /// The public keys of an issuer are not available.
        public static let keysUnavailable = Self("keysUnavailable")

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
    /// Whether the server may have received the request that got no response.
    ///
    /// `false` means that nothing was sent, so that the request can be repeated whatever it does; `nil` means that the
    /// transport does not know.
    public let wasSent: Bool?

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - code: What went wrong, for programs.
    ///   - reason: What went wrong, for humans; never a secret.
    ///   - underlying: The error that caused this one.
    ///   - wasSent: Whether the server may have received the request; `nil` if that is not known.
    public init(_ code: Code, _ reason: String, underlying: (any Error)? = nil, wasSent: Bool? = nil) {
        self.wasSent = wasSent
        self.code = code
        self.reason = reason
        self.underlying = underlying
    }

    /// The code and the reason.
    public var description: String { "\(code): \(reason)" }

    /// Code, reason, and whether the request was sent: the error underneath may be of a store or a device, and hold anything.
    public var customMirror: Mirror {
        Mirror(self, children: ["code": code.rawValue, "reason": reason, "wasSent": wasSent as Any])
    }
}
