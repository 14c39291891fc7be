// SPDX-License-Identifier: Apache-2.0

extension OAuthClientError {
    /// A code for programs that says what went wrong.
    ///
    /// A minor version may add codes.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The stable name of the code, in lower camel case.
        public let rawValue: String

        private init(_ rawValue: String) {
            self.rawValue = rawValue
        }

        /// The stable name of the code.
        public var description: String { rawValue }

        /// All codes of this version, in no particular order: for tables of messages.
        public static var all: [Code] { OAuthClientError.guidance.keys.map { Code($0) } }

        // Before anything is sent

        /// An argument has the wrong form.
        public static let invalidArgument = Self("invalidArgument")
        /// The URL is not https, and http on a loopback address was not explicitly allowed.
        public static let insecureURL = Self("insecureURL")
        /// The request is for another origin than ``OAuth2ClientConfiguration/allowedOrigins`` has; nothing was sent.
        public static let originNotAllowed = Self("originNotAllowed")
        /// The metadata of the server says that it does not support a required feature.
        public static let unsupportedByServer = Self("unsupportedByServer")
        /// A setting violates the profile of the configuration; ``OAuthClientError/underlying`` is a
        /// ``ProfileViolation``.
        public static let profileContradicted = Self("profileContradicted")
        /// The metadata of the server does not promise what the profile requires; ``OAuthClientError/underlying`` is a
        /// ``ProfileViolation``.
        public static let serverBelowProfile = Self("serverBelowProfile")
        /// The server accepts only signed authorization requests (RFC 9101 section 10.5), and the client has no key to
        /// sign them.
        public static let signedRequestRequired = Self("signedRequestRequired")
        /// The authorization request is too long for a URL, and the server does not support pushed requests.
        public static let requestTooLong = Self("requestTooLong")
        /// The client authenticates with a certificate, and the transport presents none.
        public static let clientCertificateMissing = Self("clientCertificateMissing")
        /// There is no attestation of the key: the attester cannot be reached, refuses, or answered something else;
        /// ``OAuthClientError/underlying`` is its error, if it has one.
        public static let attestationFailed = Self("attestationFailed")
        /// The server does not accept the attestation of this copy of the app; its error response is in
        /// ``OAuthClientError/answer``.
        public static let attestationRefused = Self("attestationRefused")
        /// The key could not be loaded, made or used; ``OAuthClientError/underlying`` is the error of the key store.
        public static let keyUnavailable = Self("keyUnavailable")
        /// The key that the sign-in or the tokens are bound to no longer exists: sign in again.
        public static let keyMissing = Self("keyMissing")
        /// The key in the store is not the one that the sign-in or the tokens are bound to: sign in again.
        public static let keyMismatch = Self("keyMismatch")
        /// A store of tokens or transactions failed; ``OAuthClientError/underlying`` is its error.
        public static let storageFailed = Self("storageFailed")

        // The network and the server

        /// The request got no response.
        public static let transportFailed = Self("transportFailed")
        /// The task was cancelled.
        public static let cancelled = Self("cancelled")
        /// The server is overloaded, down or broken (429, 5xx): try again later.
        public static let serverUnavailable = Self("serverUnavailable")
        /// The server rejects proofs because the clock of the device differs from the server's by more than a day;
        /// ``OAuthClientError/reason`` says by how much.
        public static let clockWrong = Self("clockWrong")
        /// The server rejected the request; its error response is in ``OAuthClientError/answer``.
        public static let serverRejected = Self("serverRejected")
        /// The response does not have the form that the specification requires.
        public static let malformedResponse = Self("malformedResponse")
        /// The metadata belongs to another issuer than the one requested (RFC 8414 section 3.3).
        public static let metadataOfAnotherIssuer = Self("metadataOfAnotherIssuer")
        /// The metadata belongs to another API than the one requested (RFC 9728 section 3.3).
        public static let metadataOfAnotherResource = Self("metadataOfAnotherResource")
        /// The token type of the token response protects less than the one requested (RFC 9449 section 5).
        public static let tokenTypeRejected = Self("tokenTypeRejected")

        /// The server requires a proof, and the client is configured not to bind tokens: see
        /// ``BoundedTokenConfiguration``.
        public static let tokenBindingRequired = Self("tokenBindingRequired")
        /// The server bound the tokens although the client sent no proof, so the client cannot use them.
        public static let boundTokensNotAskedFor = Self("boundTokensNotAskedFor")
        /// The server no longer offers bound tokens, and has given this client some before: what was bound stays bound; see
        /// ``OAuth2Client/forgetBoundTokens()``.
        public static let bindingWithdrawn = Self("bindingWithdrawn")
        /// The API accepts no proofs with the algorithm of the key; ``OAuthClientError/reason`` says which it accepts.
        public static let proofAlgorithmRejected = Self("proofAlgorithmRejected")

        // Identity of the user

        /// The id_token is missing, or violates a rule that ``OAuthClientError/reason`` names (OpenID Connect Core
        /// sections 3.1.3.7 and 12.2).
        ///
        /// The tokens were discarded.
        public static let idTokenRejected = Self("idTokenRejected")
        /// Another user signed in than the one of the account; the tokens were discarded.
        public static let anotherUser = Self("anotherUser")
        /// The userinfo response is about another user, or its signature violates a rule (OpenID Connect Core section
        /// 5.3.4).
        public static let userInfoRejected = Self("userInfoRejected")

        // The authorization response, which comes back through the browser

        /// The URL is not the redirect URI: it is for another part of the app, and the sign-in continues.
        public static let unrelatedCallback = Self("unrelatedCallback")
        /// The URL is the redirect URI, but does not have the form of an authorization response.
        public static let malformedCallback = Self("malformedCallback")
        /// No sign-in waits for this response: it is forged, too late, or already used.
        public static let unknownState = Self("unknownState")
        /// The response does not come from the server that the request was sent to (RFC 9207 section 2.4).
        public static let callbackOfAnotherIssuer = Self("callbackOfAnotherIssuer")
        /// The server did not make the signed response for this client, or the response is too old (JARM section 2.4).
        public static let signedResponseRejected = Self("signedResponseRejected")
        /// The user denied the request, or the server rejected it; the error response is in
        /// ``OAuthClientError/answer``.
        public static let authorizationRejected = Self("authorizationRejected")

        // Sign-in without a browser

        /// The server does not sign users in without a browser, or not for this client, or not with its way to authenticate.
        public static let firstPartyNotSupported = Self("firstPartyNotSupported")
        /// The server does not continue the sign-in: it took too long, was answered already, or its answer was lost; or the
        /// key is another one by now.
        ///
        /// Start again.
        public static let signInExpired = Self("signInExpired")
        /// The answer is to a step that the server did not offer; it was not sent.
        public static let stepNotOffered = Self("stepNotOffered")
        /// There were too many wrong answers, for this user or from this address; ``OAuthClientError/retryAfter`` says when
        /// the server takes the next.
        public static let tooManyAttempts = Self("tooManyAttempts")
        /// The sign-in has to go on in the browser, and there is none to open.
        public static let browserNeeded = Self("browserNeeded")

        // User agents

        /// No browser can be opened on this system.
        public static let browserUnavailable = Self("browserUnavailable")
        /// The user agent cannot receive responses at this redirect URI.
        public static let unsupportedRedirectURI = Self("unsupportedRedirectURI")
        /// The user agent cannot receive a response in this response mode.
        public static let unsupportedResponseMode = Self("unsupportedResponseMode")
        /// The client could not listen on the loopback address.
        public static let loopbackFailed = Self("loopbackFailed")
        /// The user did not finish in time.
        public static let timedOut = Self("timedOut")
        /// The user agent failed with an error of its own.
        public static let userAgentFailed = Self("userAgentFailed")

        // Sessions

        /// An MCP server uses another authorization server than before, where the app is not registered.
        public static let issuerChanged = Self("issuerChanged")
        /// The session has ended: the user must sign in again.
        public static let sessionEnded = Self("sessionEnded")
        /// The API requires a stronger or more recent sign-in; ``OAuthClientError/stepUp`` says what to ask for.
        public static let stepUpRequired = Self("stepUpRequired")
        /// The API requires a scope that was not granted (RFC 6750 section 3.1); ``OAuthClientError/scopeChallenge`` has it.
        public static let insufficientScope = Self("insufficientScope")
        /// The request must be sent again, but its body is a stream, which can be read only once.
        public static let bodyNotReplayable = Self("bodyNotReplayable")
    }
}
