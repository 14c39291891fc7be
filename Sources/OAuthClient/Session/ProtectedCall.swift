// SPDX-License-Identifier: Apache-2.0

import DPoP
import HTTPMessage
import OAuthCore
import OAuthSystem
import OAuthTransport

/// A request of the app, with the values that its proofs need.
struct ProtectedCall: Sendable {
    private let original: HTTPRequest
    /// The source of the request's body.
    let body: RequestBody
    /// How long the request may go without progress; `nil` for the limit of the transport.
    let timeout: Duration?
    private let uri: URI
    /// Scheme, host and port, normalised: selects the nonce and the clock.
    let origin: String
    private let policy: URLPolicy
    /// What the call is for, in reports.
    let purpose: RequestReport.Purpose

    /// Checks that a token may be sent to the URL of the request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - body: The source of its body.
    ///   - timeout: How long it may go without progress.
    ///   - policy: Decides which URLs requests may be sent to.
    ///   - purpose: What the call is for, in reports.
    /// - Throws: ``OAuthClientError/Code/invalidArgument``, ``OAuthClientError/Code/insecureURL``.
    init(
        _ request: HTTPRequest,
        body: RequestBody,
        timeout: Duration?,
        _ policy: URLPolicy,
        purpose: RequestReport.Purpose = .api
    ) throws(OAuthClientError) {
        guard let uri = try? URI(parsing: request.target), uri.userinfo == nil else {
            throw OAuthClientError(.invalidArgument, "the request has no absolute URL without user information")
        }
        try policy.requireSecure(uri, "the URL of the request")
        original = request
        self.body = body
        self.timeout = timeout
        self.uri = uri
        origin = uri.origin ?? ""
        self.policy = policy
        self.purpose = purpose
    }

    var target: String { original.target }

    /// Makes a new proof for this request and this token.
    func proof(
        _ tokens: TokenSet,
        _ context: DPoPContext,
        at time: Timestamp?
    ) async throws(DPoPError) -> DPoPProofForRequest {
        try await context.proof(
            method: original.method,
            uri: uri,
            accessToken: tokens.accessToken.value,
            role: .resourceServer,
            at: time
        )
    }

    /// The request with token and proof, which replace fields of the same name.
    func request(
        bearing tokens: TokenSet,
        proof: DPoPProofForRequest? = nil
    ) -> HTTPRequest {
        var request = original
        let scheme = proof == nil ? "Bearer" : "DPoP"
        request.fields["Authorization"] = "\(scheme) \(tokens.accessToken.value)"
        request.fields["DPoP"] = proof?.value
        return request
    }

    /// Whether the body can be sent once more.
    var hasReplayableBody: Bool {
        if case .stream = body { false } else { true }
    }

    /// Whether the request may reach the API twice.
    var isRepeatable: Bool {
        RetryPolicy.isRepeatable(original.method, hasIdempotencyKey: original.fields["Idempotency-Key"] != nil)
    }

    /// Checks that the request can be sent once more.
    func requireReplayableBody() throws(OAuthClientError) {
        guard hasReplayableBody else { throw OAuthClientError.bodyIsStream }
    }

    /// The request that follows a redirect; `nil` if it must not be followed.
    ///
    /// Only to the same origin. The method stays the one that the app chose, except for 303 (RFC 9110 section 15.4.4).
    func redirected(by response: StreamedResponse) -> ProtectedCall? {
        let turnsIntoGET = response.status == 303 && original.method != "HEAD"
        let isSafe = original.method == "GET" || original.method == "HEAD"
        switch response.status {
        case 303, 307, 308: break
        case 301 where isSafe, 302 where isSafe: break
        default: return nil
        }
        guard let location = response.fields["Location"],
            let target = try? URIReference(location).resolved(against: uri)
        else { return nil }
        var request = original
        request.target = target.description
        if turnsIntoGET {
            request.method = "GET"
            request.body = []
            for name in ["Content-Type", "Content-Length", "Content-Encoding"] { request.fields[name] = nil }
        }
        let call = try? ProtectedCall(
            request,
            body: turnsIntoGET ? .inMemory : body,
            timeout: timeout,
            policy,
            purpose: purpose
        )
        return call.flatMap { $0.origin == origin ? $0 : nil }
    }
}

extension OAuthClientError {
    /// The error for a request that must be sent again, and whose body is gone.
    static var bodyIsStream: OAuthClientError {
        OAuthClientError(
            .bodyNotReplayable,
            "the request must be sent again, but its body is a stream; call again with a new stream"
        )
    }
}
