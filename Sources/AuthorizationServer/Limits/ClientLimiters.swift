// SPDX-License-Identifier: Apache-2.0

/// The client limiters of a server, one for each kind of request.
struct ClientLimiters: Sendable {
    let token: ClientLimiter
    let authorizationRequest: ClientLimiter

    init(_ limits: RateLimits) {
        token = ClientLimiter(limits.clientToken, ofPublicClients: limits.publicClientToken)
        authorizationRequest = ClientLimiter(
            limits.clientAuthorizationRequest,
            ofPublicClients: limits.publicClientAuthorizationRequest
        )
    }
}
