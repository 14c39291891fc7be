// SPDX-License-Identifier: Apache-2.0

#if Vapor
public import Vapor

/// An error of a route with the fields that ``VaporGuard`` adds to the response, such as a new nonce.
///
/// Middleware above the guard that looks for an error of its own finds it in ``underlying``.
public struct GuardedAbort: AbortError, DebuggableError {
    /// The error that the route threw.
    public let underlying: any AbortError
    /// Its fields, and those of the guard.
    public let headers: HTTPHeaders

    init(_ underlying: any AbortError, headers: HTTPHeaders) {
        self.underlying = underlying
        self.headers = headers
    }

    /// The status of the response.
    public var status: HTTPResponseStatus { underlying.status }

    /// The reason in the response.
    public var reason: String { underlying.reason }

    /// The name of the error in logs.
    public var identifier: String {
        (underlying as? any DebuggableError)?.identifier ?? "\(underlying.status.code)"
    }

    /// The place in the source where it was thrown, for logs.
    public var source: ErrorSource? { (underlying as? any DebuggableError)?.source }
}
#endif
