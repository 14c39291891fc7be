// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthSystem

/// One login attempt (NIST SP 800-63B section 5.2.2).
///
/// It counts against the account and the address until the password proves right.
struct LoginAttempt {
    private let username: String
    private let services: Services
    private let address: IPAddress?

    init(username: String, _ services: Services) {
        self.username = username
        self.services = services
        address = services.limitedAddress
    }

    /// Starts the attempt.
    ///
    /// - Returns: How long the attempt must wait; `nil` if it may proceed now.
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

    /// The password was not checked.
    func takeBack() {
        services.limiters.login.giveBack(address)
        services.loginLimiter.takeBack(for: username, from: address)
    }
}
