// SPDX-License-Identifier: Apache-2.0

/// The count of a client for a request, kept until it is known whether the request is harmless.
struct RateLimitedClient: Sendable {
    let limiter: ClientLimiter
    let key: ClientLimiter.Key

    func giveBack() {
        limiter.giveBack(key)
    }
}
