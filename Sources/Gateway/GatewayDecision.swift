// SPDX-License-Identifier: Apache-2.0

/// What a gateway decided about a request, for logs and metrics.
///
/// Contains no token, no proof and no query.
public struct GatewayDecision: Sendable, Hashable {
    /// A short name of a result, for metrics.
    public struct Outcome: Sendable, Hashable, CustomStringConvertible {
        /// The name, in lower case with hyphens.
        public let name: String
        /// Whether the request may pass.
        public let isPass: Bool

        /// A request with a token and a proof passed.
        public static let accepted = Self("accepted", isPass: true)
        /// A request to a path that everybody may use passed.
        public static let open = Self("open", isPass: true)
        /// A CORS preflight passed.
        public static let preflight = Self("preflight", isPass: true)
        /// The check request did not come from a trusted proxy.
        public static let untrustedPeer = Self("untrusted-peer")
        /// The request was not a check request: it was for another path of the gateway.
        public static let notFound = Self("not-found")
        /// The proxy does not send what it must: its configuration is wrong.
        public static let misconfiguredProxy = Self("misconfigured-proxy")
        /// The host is that of no API or malformed, or the request came over another scheme.
        public static let unknownHost = Self("unknown-host")
        /// The value of a field that is read, such as `Authorization`, has control characters or is not UTF-8.
        public static let unreadableField = Self("unreadable-field")
        /// The path could be read in two ways.
        public static let ambiguousPath = Self("ambiguous-path")
        /// No rule fits.
        public static let noRule = Self("no-rule")
        /// The guard rejected the request; ``GatewayDecision/detail`` says why.
        public static let rejected = Self("rejected")

        private init(_ name: String, isPass: Bool = false) {
            self.name = name
            self.isPass = isPass
        }

        /// The name.
        public var description: String { name }
    }

    /// The result.
    public let outcome: Outcome
    /// The status that the client gets, if the request does not pass; 200 otherwise.
    public let status: Int
    /// The address of the API.
    public internal(set) var api: String?
    /// The path pattern of the rule.
    public internal(set) var rule: String?
    /// The method of the request, at most 32 bytes of it.
    public internal(set) var method: String?
    /// The path of the request as it was sent, at most 512 bytes of it.
    public internal(set) var path: String?
    /// The client, as the proxy names it: the last address in `X-Forwarded-For`.
    ///
    /// It is read when it is asked for: most decisions are not logged.
    public var clientAddress: String? { forwardedFor.flatMap(QuestionFacts.clientAddress) }
    /// `X-Request-Id`, if the proxy sends one of at most 64 letters, digits and `-._~`.
    public internal(set) var requestID: String?
    /// The trace that the request belongs to (W3C Trace Context), if the proxy passes on a valid `traceparent`.
    public internal(set) var traceID: String?
    /// Which check failed, such as `scope`.
    public internal(set) var check: String?
    /// What was expected and found.
    public internal(set) var detail: String?
    /// `iss` of an accepted request.
    public internal(set) var issuer: String?
    /// `sub` of an accepted request, unique within its issuer only.
    public internal(set) var subject: String?
    /// `client_id` of an accepted request.
    public internal(set) var clientID: String?

    /// The last `X-Forwarded-For`, as the proxy sent it.
    var forwardedFor: String?

    init(_ outcome: Outcome, status: Int = 200) {
        self.outcome = outcome
        self.status = status
    }
}
