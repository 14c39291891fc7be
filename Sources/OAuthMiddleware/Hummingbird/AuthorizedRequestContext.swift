// SPDX-License-Identifier: Apache-2.0

#if Hummingbird
public import Hummingbird
import Logging
public import ResourceServer

/// A request context that knows what ``HummingbirdGuard`` found.
public protocol AuthorizedRequestContext: RequestContext {
    /// What the guard found; set by ``HummingbirdGuard``, `nil` before.
    var authorizedRequest: AuthorizedRequest? { get set }
}

extension AuthorizedRequestContext {
    /// Who sent the request, and what the access token allows.
    ///
    /// - Throws: ``MissingGuard`` if the route has no guard; the response is 500, and the log says why.
    public var authorization: AuthorizedRequest {
        get throws {
            guard let authorizedRequest else {
                logger.error("\(MissingGuard())")
                throw MissingGuard()
            }
            return authorizedRequest
        }
    }
}
#endif
