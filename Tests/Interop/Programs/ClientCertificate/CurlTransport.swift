// SPDX-License-Identifier: Apache-2.0

import CCurl
import Dispatch
import HTTPMessage
import OAuthClient
import OAuthCore

/// A transport on libcurl that presents a client certificate (RFC 8705), which URLSession on Linux cannot.
///
/// TLS 1.2 at least, with the suites that RFC 9325 section 4.2 recommends; no redirects, no proxy, https only. A request
/// that runs is not ended by a cancellation, but by its time.
final class CurlTransport: ClientTransport {
    /// Where certificate and key are: files in PEM.
    struct Identity {
        let certificate: String
        let key: String
    }

    private let authorities: String
    private let identity: Identity?
    /// libcurl blocks its thread, which must not be one of the cooperative pool.
    private let queue = DispatchQueue(label: "curl", attributes: .concurrent)

    /// - Parameters:
    ///   - authorities: A file with the certificates of those who may vouch for servers.
    ///   - identity: What is shown to servers that ask; nothing when `nil`.
    init(authorities: String, identity: Identity?) {
        self.authorities = authorities
        self.identity = identity
    }

    var presentsClientCertificate: Bool { identity != nil }

    func send(_ request: HTTPRequest, maximumBodySize: Int) async throws(OAuthCoreError) -> HTTPResponse {
        let outcome = await withCheckedContinuation { continuation in
            queue.async { [authorities, identity] in
                let transfer = CurlTransfer(request, maximumBodySize, authorities, identity)
                continuation.resume(returning: Result { () throws(OAuthCoreError) in try transfer.perform() })
            }
        }
        if Task.isCancelled { throw OAuthCoreError(.cancelled, "the task was cancelled") }
        return try outcome.get()
    }
}
