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

    /// Too many others wait: the attempt does not count against the account, whose owner is not to blame.
    ///
    /// It counts against the address. Otherwise a flood, which is mostly rejected, would never reach the limit.
    func takeBackFromAccount() {
        services.loginLimiter.takeBack(for: username, from: address)
    }

    /// Records that the address has too many attempts at once.
    func reportFlood(at now: Timestamp) {
        guard services.limiters.reportedFlood.take(address, at: now) == nil else { return }
        services.record(.limitReached, detail: "passwords of an address at once")
    }

    /// Who waits for the password to be checked.
    var source: PasswordSource { address.map { .address($0.subscriber) } ?? .unknown }
}
