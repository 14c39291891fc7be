// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// A store for browser sessions.
public protocol SessionStore: Sendable {
    /// Stores a new session and ends the one that it replaces, in one transaction.
    ///
    /// The requests of the previous cookie then belong to the new one. So does the request for which the user signed in
    /// (``BrowserSession/requestHash``), unless it belongs to another browser. From an earlier session of the same user the
    /// request moves to the new one, because a form that is submitted twice starts two sessions and the browser keeps the
    /// cookie of the second; from that of another user, or of a later sign-in by the clocks of the servers, it does not.
    ///
    /// The same transaction checks the password: its change ends all sessions of the user, and a sign-in that was checked
    /// against the former one comes too late. Again: `true`, without any change, if the same session is stored.
    ///
    /// - Parameters:
    ///   - session: The new session.
    ///   - previous: The hash of the browser's previous cookie, if any.
    ///   - password: The hash that the user's password was checked against, which the account must still have; `nil` if
    ///     none was.
    /// - Returns: `false`, and nothing has changed, if the account was removed or has another password.
    /// - Throws: An error of the driver.
    func start(
        _ session: BrowserSession,
        replacing previous: SecretHash?,
        judgedBy password: PasswordHash?
    ) async throws -> Bool

    /// The session of a cookie.
    ///
    /// - Parameters:
    ///   - idHash: The hash of the cookie.
    ///   - now: The time.
    /// - Returns: The session; `nil` if there is none or it has ended.
    /// - Throws: An error of the driver.
    func session(_ idHash: SecretHash, at now: Timestamp) async throws -> BrowserSession?

    /// Ends a session; does nothing if there is none.
    ///
    /// - Parameter idHash: The hash of the cookie.
    /// - Throws: An error of the driver.
    func endSession(_ idHash: SecretHash) async throws
}
