// SPDX-License-Identifier: Apache-2.0

/// The address limiters of a server, one for each limit of ``RateLimits``.
struct AddressLimiters: Sendable {
    let login: AddressLimiter
    let token: AddressLimiter
    let authorizationRequest: AddressLimiter
    let registration: AddressLimiter
    /// Limits events, not requests: a flood of one address is reported once a second.
    let reportedFlood = AddressLimiter(RateLimit(1, per: .seconds(1)))

    init(_ limits: RateLimits) {
        login = AddressLimiter(limits.login)
        token = AddressLimiter(limits.token)
        authorizationRequest = AddressLimiter(limits.authorizationRequest)
        registration = AddressLimiter(limits.registration)
    }
}
