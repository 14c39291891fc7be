// SPDX-License-Identifier: Apache-2.0

import Foundation
public import OAuthClient
import SigningKeys

/// The session that the app and its extension share: one key, one set of tokens, one refresh at a time.
public struct SharedSession: Sendable {
    /// Why nothing can be shared, or the API gave no usable answer.
    public enum Problem: Error {
        /// The app group is not among the entitlements.
        case noContainer
        /// The address of the API is none.
        case invalidAddress
        /// The API refused the call, or failed: the status of its response.
        case refused(status: Int)
    }

    private let settings: AppSettings
    private let client: OAuth2Client

    /// Opens what is shared; nothing is read yet.
    ///
    /// - Parameters:
    ///   - settings: What the app and its extension are built with.
    ///   - onFallback: Called when the key had to be made in software.
    /// - Throws: ``Problem``, or `OAuthClientError` for settings that cannot be.
    public init(
        _ settings: AppSettings = AppSettings(),
        onFallback: (@Sendable (_ reason: String) -> Void)? = nil
    ) throws {
        let files = FileManager.default
        guard let container = files.containerURL(forSecurityApplicationGroupIdentifier: settings.appGroup) else {
            throw Problem.noContainer
        }
        self.settings = settings
        client = try OAuth2Client(
            issuer: settings.issuer,
            clientID: settings.clientID,
            redirectURI: settings.redirectURI,
            configuration: .native,
            keyStore: KeychainKeyStore(accessGroup: settings.accessGroup) { _, reason in onFallback?(reason.reason) },
            tokenStore: KeychainTokenStore(
                directory: container.appendingPathComponent("session").path,
                accessGroup: settings.accessGroup
            )
        )
    }

    /// Whether somebody is signed in.
    ///
    /// - Returns: `false` also for tokens of an installation that was removed.
    /// - Throws: `OAuthClientError` when the tokens cannot be read, as on a locked device.
    public func isSignedIn() async throws -> Bool {
        try await ExpiringActivity.run("reading the session") { try await client.restoreSession() != nil }
    }

    /// Shows the pages of the server and keeps what comes of it.
    ///
    /// - Parameter userAgent: What shows the pages.
    /// - Throws: `OAuthClientError`.
    public func signIn(using userAgent: some UserAgent) async throws {
        // The user may take minutes with the pages: the system is asked for time when their response is there.
        let callback = try await userAgent.authorize(redirectURI: settings.redirectURI) { redirectURI in
            try await client.initiateAuthorization(scopes: settings.scopes, redirectURI: redirectURI)
        }
        try await ExpiringActivity.run("signing in") { _ = try await client.resumeSignIn(callback) }
    }

    /// Begins a sign-in in which the app asks for the password itself.
    ///
    /// - Returns: The first step.
    /// - Throws: `OAuthClientError`.
    public func startFirstPartySignIn() async throws -> FirstPartyProgress {
        try await client.startFirstPartySignIn(scopes: settings.scopes)
    }

    /// Goes on with such a sign-in where the app was stopped.
    ///
    /// - Parameter state: What was kept of it.
    /// - Returns: The sign-in at the same step.
    /// - Throws: `OAuthClientError`.
    public func resumeFirstPartySignIn(_ state: FirstPartySignInState) async throws -> FirstPartySignIn {
        try await client.resumeFirstPartySignIn(state)
    }

    /// Calls the API; tokens are refreshed when it is time, by whichever process comes first.
    ///
    /// - Returns: What the API says; `nil` when nobody is signed in.
    /// - Throws: ``Problem``, or `OAuthClientError`.
    public func callAPI() async throws -> String? {
        guard let url = URL(string: settings.api) else { throw Problem.invalidAddress }
        return try await ExpiringActivity.run("calling the API") { () async throws -> String? in
            guard let session = try await client.restoreSession() else { return nil }
            let (body, response) = try await session.data(for: URLRequest(url: url))
            // The body of an error must not be shown as the answer.
            let status = (response as? HTTPURLResponse)?.statusCode ?? 0
            guard (200..<300).contains(status) else { throw Problem.refused(status: status) }
            return String(decoding: body, as: UTF8.self)
        }
    }

    /// Whether the user must sign in again after an error; after others the session continues.
    ///
    /// - Parameter error: The error of a call.
    /// - Returns: `false` for a device without a network, for example.
    public static func endsSession(_ error: any Error) -> Bool {
        guard let error = error as? OAuthClientError else { return false }
        return [.sessionEnded, .keyMissing, .keyMismatch].contains(error.code)
    }

    /// Revokes and deletes the tokens, and deletes the key.
    ///
    /// - Returns: What was done; `nil` when nobody was signed in.
    /// - Throws: `OAuthClientError` when the tokens cannot be read, as on a locked device: then the person stays signed in.
    public func signOut() async throws -> SignOutResult? {
        try await ExpiringActivity.run("signing out") { () async throws -> SignOutResult? in
            try await client.restoreSession()?.signOut()
        }
    }
}
