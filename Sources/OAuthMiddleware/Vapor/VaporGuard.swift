// SPDX-License-Identifier: Apache-2.0

#if Vapor
import HTTPMessage
public import ResourceServer
public import Vapor

/// Lets only requests reach a route of Vapor whose access token and proof a guard accepts.
///
/// A rejected request is answered with the status and the challenges of the guard. An accepted one continues with
/// ``Vapor/Request/authorizedRequest``, and its response gets the fields of the guard, such as a new nonce.
/// Within a group that has this middleware with the same guard, only the requirement is checked: a proof works once.
public struct VaporGuard: AsyncMiddleware {
    private let apiGuard: RequestGuard
    private let requirement: GuardRequirement

    /// Makes a middleware for the routes of a group.
    ///
    /// - Parameters:
    ///   - apiGuard: The guard of the API; routes share it.
    ///   - requirement: What these routes demand of the token.
    public init(_ apiGuard: RequestGuard, for requirement: GuardRequirement = .init()) {
        self.apiGuard = apiGuard
        self.requirement = requirement
    }

    /// Checks a request, and continues or answers.
    ///
    /// - Parameters:
    ///   - request: The request. Its body is not read.
    ///   - next: The route, or the next middleware.
    /// - Returns: The response of the route with the fields of the guard, or the rejection.
    /// - Throws: What the route throws. If the guard has fields for the response, an `AbortError` becomes a
    ///   ``GuardedAbort``, which has both.
    @concurrent
    public func respond(to request: Request, chainingTo next: any AsyncResponder) async throws -> Response {
        let head = HTTPMessage.HTTPRequest(request)
        switch await apiGuard.check(head, for: requirement, after: request.authorizedRequest) {
        case .rejected(let rejection): return Response(rejection.response)
        case .accepted(let authorized):
            request.authorizedRequest = authorized
            do {
                let response = try await next.respond(to: request)
                response.headers.add(authorized.responseFields)
                return response
            } catch let error as any AbortError {
                guard !authorized.responseFields.all.isEmpty else { throw error }
                // Without the nonce in it, a client would learn none from a 404.
                var headers = error.headers
                headers.add(authorized.responseFields)
                throw GuardedAbort(error, headers: headers)
            }
        }
    }
}
#endif
