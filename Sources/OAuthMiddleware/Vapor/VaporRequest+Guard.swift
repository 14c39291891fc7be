// SPDX-License-Identifier: Apache-2.0

#if Vapor
import HTTPMessage
public import ResourceServer
public import Vapor

extension Request {
    private struct AuthorizedRequestKey: StorageKey {
        typealias Value = AuthorizedRequest
    }

    /// What ``VaporGuard`` found; `nil` before, and on routes without it.
    public internal(set) var authorizedRequest: AuthorizedRequest? {
        get { storage[AuthorizedRequestKey.self] }
        set { storage[AuthorizedRequestKey.self] = newValue }
    }

    /// Who sent the request, and what the access token allows.
    ///
    /// - Throws: ``MissingGuard`` if the route has no guard; the response is 500, and the log says why.
    public var authorization: AuthorizedRequest {
        get throws {
            guard let authorizedRequest else { throw MissingGuard() }
            return authorizedRequest
        }
    }
}

extension HTTPMessage.HTTPRequest {
    /// The head of a request of Vapor: path and query as they were received.
    init(_ request: Request) {
        self.init(
            method: request.method.rawValue,
            target: request.url.string,
            fields: HTTPMessage.HTTPFields(request.headers.map { .init(name: $0.name, value: $0.value) })
        )
    }
}
#endif
