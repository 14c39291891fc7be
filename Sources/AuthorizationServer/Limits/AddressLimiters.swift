// SPDX-License-Identifier: Apache-2.0

/// The address limiters of a server, one for each limit of ``RateLimits``.
struct AddressLimiters: Sendable {
    let login: AddressLimiter
    let token: AddressLimiter
    let authorizationRequest: AddressLimiter

    init(_ limits: RateLimits) {
        login = AddressLimiter(limits.login)
        token = AddressLimiter(limits.token)
        authorizationRequest = AddressLimiter(limits.authorizationRequest)
    }
}
