// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
import ServerStorage

/// A user name and a password, checked for a page and for an app in the same way: the same limits, hasher and events
/// (NIST SP 800-63B section 5.2.2).
struct PasswordSignIn {
    /// What came of the check.
    enum Outcome {
        /// The password is right; the attempt counts as a failure until the caller says that it had an effect.
        case right(UserAccount, LoginAttempt)
        /// The user name is unknown or the password is wrong.
        case wrong
        /// A limit is reached; the password was not checked.
        case wait(Duration)
        /// Too many others wait; the password was not checked.
        case busy
    }

    /// The user name in its stored form.
    let username: String
    /// 1 to 1024 bytes.
    let password: String

    /// - Returns: `nil` if no account can have the name or the password.
    init?(username typed: String, password: String) {
        guard let username = Username.acceptable(typed), (1...1024).contains(password.utf8.count) else { return nil }
        (self.username, self.password) = (username, password)
    }

    /// Checks the password.
    ///
    /// - Parameters:
    ///   - account: The account with the name; `nil` if there is none, which takes as long.
    ///   - device: Names the browser or key with which this account signed in before; `nil` for any other.
    ///   - now: The time.
    ///   - services: The server.
    /// - Returns: The outcome.
    /// - Throws: A failure for a password that could not be hashed.
    func check(
        against account: UserAccount?,
        knownOn device: String?,
        at now: Timestamp,
        _ services: Services
    ) async throws(ProtocolFailure) -> Outcome {
        var attempt = LoginAttempt(
            username: username,
            account: account,
            knownOn: device,
            at: now,
            services
        )
        // Before hashing: an attempt over a limit costs no computation, and one of a flood no write either.
        if let wait = attempt.countForAddress() { return .wait(wait) }
        if let error = services.passwords.refusal(of: attempt.source) {
            return try await outcome(of: attempt, after: error, services)
        }
        if let wait = try await attempt.countForAccount() { return .wait(wait) }
        do throws(AuthorizationServerError) {
            // A refused attempt takes as long as a wrong password, and gets the same answer.
            let isRight = try await services.passwords.check(
                password,
                against: attempt.isRefused ? nil : account?.passwordHash,
                from: attempt.source
            )
            guard isRight, let account else {
                services.record(.signInFailed, subject: account?.subject)
                return .wrong
            }
            return .right(account, attempt)
        } catch {
            return try await outcome(of: attempt, after: error, services)
        }
    }

    /// What follows from a password that was not checked.
    private func outcome(
        of attempt: LoginAttempt,
        after error: AuthorizationServerError,
        _ services: Services
    ) async throws(ProtocolFailure) -> Outcome {
        switch error.code {
        case .tooManyAtOnce:
            await attempt.takeBackFromAccount()
            attempt.reportFlood()
            return .wait(.seconds(1))
        case .busy:
            await attempt.takeBackFromAccount()
            return .busy
        default:
            await attempt.takeBack()
            services.report("a password was not checked: \(error)")
            throw .unavailable
        }
    }
}

extension Services {
    /// How users authenticate with a password (RFC 8176 section 2).
    var passwordAuthentication: AuthenticationContext {
        AuthenticationContext(reference: configuration.passwordContext, methods: ["pwd"])
    }
}
