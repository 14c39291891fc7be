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
    /// The account with the name.
    private let account: UserAccount?
    /// The account, if it signed in with this browser or key before.
    private let knownUser: UserAccount?
    private let device: String?
    private let startedAt: Timestamp
    private var key: LoginLimiter.Key?
    /// Whether the password must not be tried, since too many have failed in a row (NIST SP 800-63B-4 section 3.2.2).
    private(set) var isRefused = false

    /// Describes an attempt.
    ///
    /// - Parameters:
    ///   - username: The user name in its stored form.
    ///   - account: The account with the name; `nil` if there is none.
    ///   - device: Names the browser or key with which this account signed in before; `nil` for any other.
    ///   - now: The time.
    ///   - services: The server.
    init(
        username: String,
        account: UserAccount?,
        knownOn device: String?,
        at now: Timestamp,
        _ services: Services
    ) {
        self.username = username
        self.services = services
        self.account = account
        knownUser = device == nil ? nil : account
        self.device = account == nil ? nil : device
        startedAt = now
        address = services.limitedAddress
    }

    /// Counts the attempt against the address.
    ///
    /// - Returns: How long the attempt must wait; `nil` if it may proceed now.
    func countForAddress() -> Duration? {
        guard let wait = services.limiters.login.take(address, at: startedAt) else { return nil }
        services.record(.limitReached, detail: "passwords of an address")
        return wait
    }

    /// Counts the attempt against the account.
    ///
    /// - Returns: How long the attempt must wait; `nil` if it may proceed now.
    /// - Throws: A failure with 503 if it cannot be counted.
    mutating func countForAccount() async throws(ProtocolFailure) -> Duration? {
        let admission: LoginLimiter.Admission
        do throws(ProtocolFailure) {
            admission = try await services.stored { _ in
                try await services.loginLimiter.begin(for: username, of: account, in: device, at: startedAt)
            }
        } catch {
            services.limiters.login.giveBack(address)
            throw error
        }
        switch admission {
        case .counted(let key):
            self.key = key
            return nil
        case .refused(let key):
            (self.key, isRefused) = (key, true)
            services.record(.limitReached, subject: account?.subject, detail: "passwords of an account in a row")
            return nil
        case .wait(let wait):
            services.limiters.login.giveBack(address)
            services.record(.limitReached, detail: "passwords of an account")
            return wait
        }
    }

    /// The password was right.
    func succeed() async {
        services.limiters.login.giveBack(address)
        await change { limiter, key in try await limiter.succeed(key, in: device, at: startedAt) }
    }

    /// The password was not checked.
    func takeBack() async {
        services.limiters.login.giveBack(address)
        await takeBackFromAccount()
    }

    /// Too many others wait: the attempt does not count against the account, whose owner is not to blame.
    ///
    /// It counts against the address. Otherwise a flood, which is mostly rejected, would never reach the limit.
    func takeBackFromAccount() async {
        await change { limiter, key in try await limiter.takeBack(key, at: startedAt) }
    }

    /// Records that the address has too many attempts at once.
    func reportFlood() {
        guard services.limiters.reportedFlood.take(address, at: startedAt) == nil else { return }
        services.record(.limitReached, detail: "passwords of an address at once")
    }

    /// Who waits for the password to be checked.
    var source: PasswordSource {
        if let knownUser { return .knownUser(knownUser.subject) }
        return address.map { .address($0.subscriber) } ?? .unknown
    }

    /// Changes what was counted against the account; without the storage the attempt stays a failure.
    private func change(_ change: (LoginLimiter, LoginLimiter.Key) async throws -> Void) async {
        guard let key else { return }
        try? await services.stored { _ in try await change(services.loginLimiter, key) }
    }
}
