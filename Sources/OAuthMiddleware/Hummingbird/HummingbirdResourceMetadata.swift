// SPDX-License-Identifier: Apache-2.0

#if Hummingbird
import HTTPMessage
public import Hummingbird
public import ResourceServer

/// Serves the metadata of an API of Hummingbird, with which clients find its authorization server (RFC 9728 section 3).
///
/// Add it to the router, above every guard: the client has no token yet.
public struct HummingbirdResourceMetadata<Context: RequestContext>: RouterMiddleware {
    private let apiGuard: RequestGuard

    /// Makes the middleware.
    ///
    /// - Parameter apiGuard: A guard with ``/ResourceServer/GuardConfiguration/metadata``.
    public init(_ apiGuard: RequestGuard) {
        self.apiGuard = apiGuard
    }

    /// Answers a request for the metadata, and passes on every other one.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - context: The context.
    ///   - next: The router, or the next middleware.
    /// - Returns: The metadata, or the response of `next`.
    /// - Throws: What `next` throws.
    @concurrent
    public func handle(
        _ request: Request,
        context: Context,
        next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        if let response = apiGuard.metadataResponse(to: HTTPMessage.HTTPRequest(request.head)) {
            return Response(response)
        }
        return try await next(request, context)
    }
}
#endif
