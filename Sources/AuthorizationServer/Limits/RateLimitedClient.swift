// SPDX-License-Identifier: Apache-2.0

/// What was counted of the client of a request, until it is known whether the request was harmless.
struct RateLimitedClient: Sendable {
    let limiter: ClientLimiter
    let key: ClientLimiter.Key

    func giveBack() {
        limiter.giveBack(key)
    }
}
