// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import OAuthSystem

/// What an endpoint counts per address, and its response above the limit (RFC 6585 section 4).
struct EndpointLimit: Sendable {
    /// What is counted.
    enum Counting: Sendable {
        /// Every request, since each needs storage.
        case requests
        /// Rejected requests, since they may be guesses.
        case rejections
    }

    /// Who reads the error response.
    enum Audience: Sendable {
        case program
        case user
    }

    /// The name of the limit in audit events.
    let name: String
    let limiter: AddressLimiter
    let counting: Counting
    let audience: Audience

    /// Requests that are stored before any authentication.
    static func authorizationRequests(_ services: Services, audience: Audience) -> EndpointLimit {
        EndpointLimit(
            name: "authorization requests of an address",
            limiter: services.limiters.authorizationRequest,
            counting: .requests,
            audience: audience
        )
    }

    /// Codes and tokens that may be guesses.
    static func tokenRejections(_ services: Services) -> EndpointLimit {
        EndpointLimit(
            name: "token requests of an address",
            limiter: services.limiters.token,
            counting: .rejections,
            audience: .program
        )
    }

    /// Runs an action, unless the address must wait.
    func run(
        _ request: HTTPRequest,
        _ services: Services,
        _ action: Endpoint.Action
    ) async -> HTTPResponse {
        let address = services.limitedAddress
        if let wait = limiter.take(address, at: services.clock.now()) {
            services.record(.limitReached, detail: name)
            return respond(after: wait, services)
        }
        let response = await action(request)
        // Overload, a nonce challenge and `authorization_pending` do not count as failures.
        let trace = RequestTrace.current
        let isHarmless = trace.map { $0.asksForNonce || $0.isAskedToWait } ?? false
        let isRejected = (400..<500).contains(response.status) && !isHarmless
        if counting == .rejections, !isRejected {
            limiter.giveBack(address)
            trace?.countedClient?.giveBack()
        }
        return response
    }

    private func respond(after wait: Duration, _ services: Services) -> HTTPResponse {
        let failure = ProtocolFailure.tooManyRequests("from this address", retryAfter: wait)
        return audience == .program ? .failure(failure) : AuthorizationErrorResponse.page(for: failure, services)
    }
}

extension ProtocolFailure {
    /// RFC 6585 section 4.
    static func tooManyRequests(_ whose: StaticString, retryAfter wait: Duration) -> ProtocolFailure {
        ProtocolFailure(
            .temporarilyUnavailable,
            "too many requests \(whose)",
            status: 429,
            fields: ["Retry-After": RetryDelayText(wait).seconds.description]
        )
    }
}
