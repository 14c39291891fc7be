// SPDX-License-Identifier: Apache-2.0

/// RFC 6585 section 4: the client is within its rate limit.
///
/// Runs after client authentication, so that no one can use up the limit of another client. ``EndpointLimit`` gives a
/// count back if the request turns out to be harmless.
struct CheckClientLimit<Stage: ClientStage>: Rule {
    let section = "RFC 6585 section 4"
    let counting: EndpointLimit.Counting

    init(_ counting: EndpointLimit.Counting) {
        self.counting = counting
    }

    func check(_ request: Stage, _ services: Services) throws(ProtocolFailure) {
        guard let key = ClientLimiter.Key(request.clientRequest, from: services.limitedAddress) else { return }
        let limiters = services.clientLimiters
        let limiter = counting == .requests ? limiters.authorizationRequest : limiters.token
        if let wait = limiter.take(key, at: request.now) {
            services.record(
                .limitReached,
                detail: counting == .requests ? "authorization requests of a client" : "token requests of a client"
            )
            throw .tooManyRequests("of this client", retryAfter: wait)
        }
        RequestTrace.current?.countedClient = RateLimitedClient(limiter: limiter, key: key)
    }
}
