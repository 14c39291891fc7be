// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthSystem

/// One attempt to sign in: it counts for the account and for the address until it turns out to be no wrong guess
/// (NIST SP 800-63B section 5.2.2).
struct LoginAttempt {
    private let username: String
    private let services: Services
    private let address: IPAddress?

    init(username: String, _ services: Services) {
        self.username = username
        self.services = services
        address = services.limitedAddress
    }

    /// Begins the attempt.
    ///
    /// - Returns: How long it has to wait instead; `nil` when it may be made now.
    func begin(at now: Timestamp) -> Duration? {
        if let wait = services.limiters.login.take(address, at: now) {
            services.record(.limitReached, detail: "passwords of an address")
            return wait
        }
        guard let wait = services.loginLimiter.begin(for: username, from: address, at: now) else { return nil }
        services.limiters.login.giveBack(address)
        services.record(.limitReached, detail: "passwords of an account")
        return wait
    }

    /// The password was right.
    func succeed() {
        services.limiters.login.giveBack(address)
        services.loginLimiter.succeed(for: username, from: address)
    }

    /// The password was not looked at.
    func takeBack() {
        services.limiters.login.giveBack(address)
        services.loginLimiter.takeBack(for: username, from: address)
    }
}
