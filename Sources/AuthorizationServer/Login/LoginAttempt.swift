// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthSystem
import ServerStorage

/// One login attempt (NIST SP 800-63B section 5.2.2).
///
/// It counts against the account and the address until the password proves right.
struct LoginAttempt {
    private let username: String
    private let services: Services
    private let address: IPAddress?
    /// The account, if it signed in with this browser or key before.
    private let knownUser: UserAccount?
    private let device: String?
    private var key: LoginLimiter.Key?

    /// Describes an attempt.
    ///
    /// - Parameters:
    ///   - username: The user name in its stored form.
    ///   - knownUser: The account, if it signed in with this browser or key before.
    ///   - device: Names the browser or key.
    ///   - services: The server.
    init(username: String, knownUser: UserAccount?, in device: String?, _ services: Services) {
        self.username = username
        self.services = services
        self.knownUser = knownUser
        self.device = knownUser == nil ? nil : device
        address = services.limitedAddress
    }

    /// Starts the attempt.
    ///
    /// - Returns: How long the attempt must wait; `nil` if it may proceed now.
    mutating func begin(at now: Timestamp) -> Duration? {
        if let wait = services.limiters.login.take(address, at: now) {
            services.record(.limitReached, detail: "passwords of an address")
            return wait
        }
        switch services.loginLimiter.begin(for: username, in: device, at: now) {
        case .counted(let key):
            self.key = key
            return nil
        case .wait(let wait):
            services.limiters.login.giveBack(address)
            services.record(.limitReached, detail: "passwords of an account")
            return wait
        }
    }

    /// The password was right.
    func succeed() {
        services.limiters.login.giveBack(address)
        if let key { services.loginLimiter.succeed(key, in: device) }
    }

    /// The password was not checked.
    func takeBack() {
        services.limiters.login.giveBack(address)
        takeBackFromAccount()
    }

    /// Too many others wait: the attempt does not count against the account, whose owner is not to blame.
    ///
    /// It counts against the address. Otherwise a flood, which is mostly rejected, would never reach the limit.
    func takeBackFromAccount() {
        if let key { services.loginLimiter.takeBack(key) }
    }

    /// Records that the address has too many attempts at once.
    func reportFlood(at now: Timestamp) {
        guard services.limiters.reportedFlood.take(address, at: now) == nil else { return }
        services.record(.limitReached, detail: "passwords of an address at once")
    }

    /// Who waits for the password to be checked.
    var source: PasswordSource {
        if let knownUser { return .knownUser(knownUser.subject) }
        return address.map { .address($0.subscriber) } ?? .unknown
    }
}
