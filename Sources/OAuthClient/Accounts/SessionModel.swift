// SPDX-License-Identifier: Apache-2.0

public import Observation

/// The account in use, for views that observe it: SwiftUI needs nothing else.
///
/// It follows the states of its ``AccountManager`` until it is released. Make one for the app, and keep it in its state. It does
/// one operation at a time: while ``isBusy``, another one does nothing.
@MainActor @Observable
public final class SessionModel {
    /// What to show of the account in use.
    public private(set) var state = SessionState.unknown
    /// The session of the account in use; `nil` while there is none.
    public private(set) var session: OAuthSession?
    /// Whether a sign-in, a sign-out or a change of the account is under way.
    public private(set) var isBusy = false
    /// Why the last operation failed; `nil` if it did not, and when the user closed the browser.
    public private(set) var lastError: OAuthClientError?

    @ObservationIgnored private let manager: AccountManager
    @ObservationIgnored private var following: Task<Void, Never>?

    /// Makes a model, which reads the stored accounts at once.
    ///
    /// - Parameter manager: The accounts.
    public init(_ manager: AccountManager) {
        self.manager = manager
        let states = manager.states()
        following = Task { [weak self] in
            // Reads the stored accounts; an error comes again with the first operation.
            _ = try? await manager.session()
            for await _ in states { await self?.follow() }
        }
    }

    isolated deinit {
        following?.cancel()
    }

    /// Signs a user in, and uses the account from now on.
    ///
    /// It runs in a task of its own, so that the sign-in goes on if a view that began it goes away.
    ///
    /// - Parameters:
    ///   - scopes: The scope tokens to request, one each; with `openid`, the account is known by its user.
    ///   - userAgent: Shows the pages of the server to the user.
    ///   - options: What to request in addition to the scopes.
    ///   - id: An account whose user signs in again; `nil` for a new one.
    public func signIn(
        scopes: [String],
        using userAgent: some UserAgent,
        options: AuthorizationOptions = AuthorizationOptions(),
        as id: AccountSummary.ID? = nil
    ) async {
        await run { manager throws(OAuthClientError) in
            _ = try await manager.signIn(scopes: scopes, using: userAgent, options: options, as: id)
        }
    }

    /// Signs the user of an account out.
    ///
    /// - Parameters:
    ///   - id: The account; `nil` for the one in use.
    ///   - deletingAccount: Whether it also leaves the list.
    public func signOut(_ id: AccountSummary.ID? = nil, deletingAccount: Bool = true) async {
        await run { manager throws(OAuthClientError) in
            var account = id
            if account == nil { account = try await manager.current()?.id }
            guard let account else { return }
            try await manager.signOut(account, deletingAccount: deletingAccount)
        }
    }

    /// Uses an account from now on.
    ///
    /// - Parameter id: The account.
    public func select(_ id: AccountSummary.ID) async {
        await run { manager throws(OAuthClientError) in try await manager.select(id) }
    }

    private func run(_ work: @escaping @Sendable (AccountManager) async throws(OAuthClientError) -> Void) async {
        guard !isBusy else { return }
        isBusy = true
        defer { isBusy = false }
        lastError = nil
        let manager = manager
        let result = await Task { () async -> OAuthClientError? in
            do throws(OAuthClientError) {
                try await work(manager)
                return nil
            } catch {
                return error
            }
        }.value
        lastError = result?.code == .cancelled ? nil : result
        // The stream may bring the new state later than the caller looks.
        await follow()
    }

    private func follow() async {
        let current = try? await manager.session()
        // The newest one: it may have changed while this waited.
        state = manager.latestState
        switch state {
        case .signedIn, .needsSignIn(_, .clientRefused): session = current
        default: session = nil
        }
    }
}
