// SPDX-License-Identifier: Apache-2.0

#if Hummingbird
import HTTPMessage
import HTTPTypes
public import Hummingbird
public import ResourceServer

/// Lets only requests reach a route of Hummingbird whose access token and proof a guard accepts.
///
/// A rejected request is answered with the status and the challenges of the guard. An accepted one continues with
/// ``AuthorizedRequestContext/authorizedRequest``, and its response gets the fields of the guard, such as a new nonce.
/// Within a group that has this middleware with the same guard, only the requirement is checked: a proof works once.
public struct HummingbirdGuard<Context: AuthorizedRequestContext>: RouterMiddleware {
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
    ///   - context: The context.
    ///   - next: The route, or the next middleware.
    /// - Returns: The response of the route with the fields of the guard, or the rejection.
    /// - Throws: What the route throws; an error that becomes a response gets the fields too.
    @concurrent
    public func handle(
        _ request: Request,
        context: Context,
        next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        let head = HTTPMessage.HTTPRequest(request.head)
        switch await apiGuard.check(head, for: requirement, after: context.authorizedRequest) {
        case .rejected(let rejection): return Response(rejection.response)
        case .accepted(let authorized):
            var context = context
            context.authorizedRequest = authorized
            var response: Response
            do {
                response = try await next(request, context)
            } catch let error as any HTTPResponseError {
                // Without the nonce in it, a client would learn none from a 404.
                response = try error.response(from: request, context: context)
            }
            response.headers.append(contentsOf: authorized.responseFields)
            return response
        }
    }
}
#endif
