// SPDX-License-Identifier: Apache-2.0

/// The address limiters of a server: those of ``RateLimits``, and some of its own.
struct AddressLimiters: Sendable {
    let login: AddressLimiter
    let token: AddressLimiter
    let authorizationRequest: AddressLimiter
    /// Responses of a login provider: a count of their own, as high as that of authorization requests.
    let loginResponse: AddressLimiter
    let registration: AddressLimiter
    /// Polls of waiting devices that exceed their share: above this limit they count as rejected token requests.
    let waitingPolls: AddressLimiter
    /// Limits events, not requests: a flood of one address is reported once a second.
    let reportedFlood = AddressLimiter(RateLimit(1, per: .seconds(1)))

    init(_ limits: RateLimits) {
        login = AddressLimiter(limits.login)
        token = AddressLimiter(limits.token)
        authorizationRequest = AddressLimiter(limits.authorizationRequest)
        loginResponse = AddressLimiter(limits.authorizationRequest)
        registration = AddressLimiter(limits.registration)
        waitingPolls = AddressLimiter(limits.waitingPollsOfAddress)
    }
}
