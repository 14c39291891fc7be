// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// Where browser sessions are kept.
public protocol SessionStore: Sendable {
    /// Stores a new session and, in the same transaction, ends the one that it takes the place of.
    ///
    /// The requests of the previous cookie belong to the new one from then on. So does the request that the person signed in
    /// for (``BrowserSession/requestHash``), unless it belongs to another browser.
    ///
    /// - Parameters:
    ///   - session: The new session.
    ///   - previous: The hash of the cookie that the browser had before, if any.
    /// - Throws: An error of the driver.
    func start(_ session: BrowserSession, replacing previous: SecretHash?) async throws

    /// The session of a cookie.
    ///
    /// - Parameters:
    ///   - idHash: The hash of the cookie.
    ///   - now: The time.
    /// - Returns: The session; `nil` when there is none or it has ended.
    /// - Throws: An error of the driver.
    func session(_ idHash: SecretHash, at now: Timestamp) async throws -> BrowserSession?

    /// Ends a session; nothing happens when there is none.
    ///
    /// - Parameter idHash: The hash of the cookie.
    /// - Throws: An error of the driver.
    func endSession(_ idHash: SecretHash) async throws
}
