// SPDX-License-Identifier: Apache-2.0

import DPoP
import Foundation
import HTTPMessage
import JOSE
import OAuthCore

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A request of the app with what its proofs say about it.
struct ProtectedCall {
    private let original: URLRequest
    private let method: String
    private let uri: URI

    /// Takes a request whose URL a token may be sent to.
    init(_ request: URLRequest, _ policy: URLPolicy) throws(OAuthClientError) {
        // The text that goes over the wire: `URL.path` and its relatives are decoded forms.
        guard let text = request.url?.absoluteString, let uri = try? URI(parsing: text), uri.userinfo == nil else {
            throw OAuthClientError(.invalidArgument, "the request has no absolute URL without user information")
        }
        try policy.requireSecure(uri, "the URL of the request")
        original = request
        method = request.httpMethod ?? "GET"
        self.uri = uri
    }

    /// A proof for this request and this token; each time a new one.
    func proof(_ tokens: TokenSet, _ context: DPoPContext) async throws(OAuthClientError) -> DPoPProofForRequest {
        do {
            return try await context.proof(
                method: method,
                uri: uri,
                accessToken: tokens.accessToken.value,
                role: .resourceServer
            )
        } catch {
            throw OAuthClientError(proof: error)
        }
    }

    /// The request with token and proof; what it had under these names is replaced.
    func request(bearing tokens: TokenSet, proof: DPoPProofForRequest? = nil) -> URLRequest {
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
}
