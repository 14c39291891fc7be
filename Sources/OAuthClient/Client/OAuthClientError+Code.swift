// SPDX-License-Identifier: Apache-2.0

extension OAuthClientError {
    /// What went wrong, for programs; new codes may be added in a minor version.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The stable name of the code, in lower camel case.
        public let rawValue: String

        private init(_ rawValue: String) {
            self.rawValue = rawValue
        }

        /// The stable name of the code.
        public var description: String { rawValue }

        // Before anything is sent

        /// An argument is not of the form that is needed.
        public static let invalidArgument = Self("invalidArgument")
        /// The URL is not https, and http on a loopback address was not allowed by name.
        public static let insecureURL = Self("insecureURL")
        /// The server says that it does not support what is needed.
        public static let unsupportedByServer = Self("unsupportedByServer")
        /// A setting is against the profile of the configuration; a ``ProfileViolation`` is under this one.
        public static let profileContradicted = Self("profileContradicted")
        /// The server does not promise what the profile demands; a ``ProfileViolation`` is under this one.
        public static let serverBelowProfile = Self("serverBelowProfile")
        /// The server takes only signed authorization requests (RFC 9101 section 10.5), and the client was given no key for them.
        public static let signedRequestRequired = Self("signedRequestRequired")
        /// The authorization request is too long for a URL, and the server takes no pushed requests.
        public static let requestTooLong = Self("requestTooLong")
        /// The client authenticates itself with a certificate, and the transport presents none.
        public static let clientCertificateMissing = Self("clientCertificateMissing")
        /// The key could not be loaded, made or used; the error of the key store is under this one.
        public static let keyUnavailable = Self("keyUnavailable")
        /// The key that the sign-in or the tokens are bound to is gone: sign in again.
        public static let keyMissing = Self("keyMissing")
        /// The key is not the one that the sign-in or the tokens are bound to: sign in again.
        public static let keyMismatch = Self("keyMismatch")
        /// A store of tokens or transactions failed; its error is under this one.
        public static let storageFailed = Self("storageFailed")

        // The network and the server

        /// The request did not get an answer.
        public static let transportFailed = Self("transportFailed")
        /// The task was cancelled.
        public static let cancelled = Self("cancelled")
        /// The server is overloaded, down or broken (429, 5xx): try again later.
        public static let serverUnavailable = Self("serverUnavailable")
        /// The server refused; its answer is in ``OAuthClientError/answer``.
        public static let serverRejected = Self("serverRejected")
        /// The answer is not of the form that the specification demands.
        public static let malformedResponse = Self("malformedResponse")
        /// The metadata is of another issuer than was asked for (RFC 8414 section 3.3).
        public static let metadataOfAnotherIssuer = Self("metadataOfAnotherIssuer")
        /// The metadata is of another API than was asked for (RFC 9728 section 3.3).
        public static let metadataOfAnotherResource = Self("metadataOfAnotherResource")
        /// The token response has a type that gives less protection than was asked for (RFC 9449 section 5).
        public static let tokenTypeRejected = Self("tokenTypeRejected")

        /// The server demands a proof, and the client is set to bind nothing: see ``BoundedTokenConfiguration``.
        public static let tokenBindingRequired = Self("tokenBindingRequired")
        /// The server bound the tokens although no proof was sent, so that nobody here can use them.
        public static let boundTokensNotAskedFor = Self("boundTokensNotAskedFor")
        // Who signed in

        /// The id_token is missing, or breaks a rule that ``OAuthClientError/reason`` names (OpenID Connect Core sections
        /// 3.1.3.7 and 12.2): the tokens were thrown away.
        public static let idTokenRejected = Self("idTokenRejected")
        /// The answer of the userinfo endpoint is of another user, or its signature breaks a rule (OpenID Connect Core
        /// section 5.3.4).
        public static let userInfoRejected = Self("userInfoRejected")

        // The answer that comes back through the browser

        /// The URL is not the redirect URI: it belongs to something else, and the sign-in goes on.
        public static let unrelatedCallback = Self("unrelatedCallback")
        /// The URL is the redirect URI, but not of the form of an authorization response.
        public static let malformedCallback = Self("malformedCallback")
        /// No sign-in waits for this answer: forged, too late, or used already.
        public static let unknownState = Self("unknownState")
        /// The answer does not come from the server that was asked (RFC 9207 section 2.4).
        public static let callbackOfAnotherIssuer = Self("callbackOfAnotherIssuer")
        /// The signed answer is not one that the server made for this client, or is too old (JARM section 2.4).
        public static let signedResponseRejected = Self("signedResponseRejected")
        /// The user or the server said no; the error is in ``OAuthClientError/answer``.
        public static let authorizationRejected = Self("authorizationRejected")

        // User agents

        /// No browser can be opened here.
        public static let browserUnavailable = Self("browserUnavailable")
        /// The user agent cannot receive at this redirect URI.
        public static let unsupportedRedirectURI = Self("unsupportedRedirectURI")
        /// The user agent cannot receive an answer in this response mode.
        public static let unsupportedResponseMode = Self("unsupportedResponseMode")
        /// The loopback address could not be listened on.
        public static let loopbackFailed = Self("loopbackFailed")
        /// The user did not come back in time.
        public static let timedOut = Self("timedOut")
        /// The user agent failed with an error of its own.
        public static let userAgentFailed = Self("userAgentFailed")

        // Sessions

        /// The session is over: the user must sign in again.
        public static let sessionEnded = Self("sessionEnded")
        /// The API wants the user to sign in more strongly or more recently; what to ask for is in ``OAuthClientError/stepUp``.
        public static let stepUpRequired = Self("stepUpRequired")
        /// The request must be sent again, but its body is a stream, which can be read once.
        public static let bodyNotReplayable = Self("bodyNotReplayable")
    }
}
