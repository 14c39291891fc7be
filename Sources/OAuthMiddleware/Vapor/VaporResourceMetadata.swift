// SPDX-License-Identifier: Apache-2.0

#if Vapor
import HTTPMessage
public import ResourceServer
public import Vapor

/// Serves the metadata of an API of Vapor, with which clients find its authorization server (RFC 9728 section 3).
///
/// Add it to the application, above every guard: the client has no token yet.
public struct VaporResourceMetadata: AsyncMiddleware {
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
    ///   - next: The routes, or the next middleware.
    /// - Returns: The metadata, or the response of `next`.
    /// - Throws: What `next` throws.
    @concurrent
    public func respond(to request: Request, chainingTo next: any AsyncResponder) async throws -> Response {
        if let response = apiGuard.metadataResponse(to: HTTPMessage.HTTPRequest(request)) { return Response(response) }
        return try await next.respond(to: request)
    }
}
#endif
