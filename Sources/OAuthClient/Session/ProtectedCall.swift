// SPDX-License-Identifier: Apache-2.0

import DPoP
import Foundation
import HTTPMessage
import OAuthCore
import OAuthSystem
import OAuthTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A request of the app with what its proofs say about it.
struct ProtectedCall: Sendable {
    private let original: URLRequest
    /// The file that is the body.
    let file: UploadFile?
    private let method: String
    private let uri: URI
    /// Scheme, host and port, normalised: whose nonces and whose clock count.
    let origin: String
    private let policy: URLPolicy

    /// Takes a request whose URL a token may be sent to.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - file: The file that is its body.
    ///   - policy: Which URLs requests may go to.
    /// - Throws: ``OAuthClientError/Code/invalidArgument``, ``OAuthClientError/Code/insecureURL``.
    init(_ request: URLRequest, uploading file: UploadFile? = nil, _ policy: URLPolicy) throws(OAuthClientError) {
        // The text that goes over the wire: `URL.path` and its relatives are decoded forms.
        guard let text = request.url?.absoluteString, let uri = try? URI(parsing: text), uri.userinfo == nil else {
            throw OAuthClientError(.invalidArgument, "the request has no absolute URL without user information")
        }
        try policy.requireSecure(uri, "the URL of the request")
        original = request
        method = request.httpMethod ?? "GET"
        self.uri = uri
        origin = uri.origin ?? ""
        self.file = file
        self.policy = policy
    }

    /// A proof for this request and this token; each time a new one.
    func proof(
        _ tokens: TokenSet,
        _ context: DPoPContext,
        at time: Timestamp?
    ) async throws(DPoPError) -> DPoPProofForRequest {
        try await context.proof(
            method: method,
            uri: uri,
            accessToken: tokens.accessToken.value,
            role: .resourceServer,
            at: time
        )
    }

    /// The request with token and proof; what it had under these names is replaced.
    func request(
        bearing tokens: TokenSet,
        proof: DPoPProofForRequest? = nil
    ) -> URLRequest {
        var request = original
        let scheme = proof == nil ? "Bearer" : "DPoP"
        request.setValue("\(scheme) \(tokens.accessToken.value)", forHTTPHeaderField: "Authorization")
        request.setValue(proof?.value, forHTTPHeaderField: "DPoP")
        return request
    }

    /// Checks that the request can be sent once more.
    func requireReplayableBody() throws(OAuthClientError) {
        guard original.httpBodyStream == nil else {
            throw OAuthClientError(
                .bodyNotReplayable,
                "the request must be sent again, but its body is a stream; call again with a new stream"
            )
        }
    }

    /// The request that a redirect leads to; `nil` when it is not one that may be followed.
    ///
    /// Only to the same origin, and never with another method than the app chose, but for 303 (RFC 9110 section 15.4.4).
    func redirected(by response: HTTPURLResponse) -> ProtectedCall? {
        let turnsIntoGET = response.statusCode == 303 && method != "HEAD"
        let isSafe = method == "GET" || method == "HEAD"
        switch response.statusCode {
        case 303, 307, 308: break
        case 301 where isSafe, 302 where isSafe: break
        default: return nil
        }
        guard let location = HTTPFields(response)["Location"], let base = original.url,
            let url = URL(string: location, relativeTo: base)?.absoluteURL
        else { return nil }
        var request = original
        request.url = url
        if turnsIntoGET {
            request.httpMethod = "GET"
            request.httpBodyStream = nil
            request.httpBody = nil
            for name in ["Content-Type", "Content-Length", "Content-Encoding"] {
                request.setValue(nil, forHTTPHeaderField: name)
            }
        }
        let call = try? ProtectedCall(request, uploading: turnsIntoGET ? nil : file, policy)
        return call.flatMap { $0.origin == origin ? $0 : nil }
    }
}
