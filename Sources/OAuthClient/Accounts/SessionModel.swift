// SPDX-License-Identifier: Apache-2.0

public import Observation
import Synchronization

/// The account in use, for views that observe it: SwiftUI needs nothing else.
///
/// It follows the states of its ``AccountManager`` until it is released. Make one for the app, and keep it in its state.
///
/// It does one operation at a time. A sign-in waits for its user, who may have closed the window of the browser: ``cancel()`` ends it,
/// and so does the next operation, which takes its place. While a sign-out or a change of the account runs, or waits for a
/// cancelled sign-in to end, another operation does nothing.
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
    @ObservationIgnored private var running: Operation?
    /// The operation that begins when the cancelled sign-in that runs has ended.
    @ObservationIgnored private var waiting: Waiting?
    /// How many operations have waited.
    @ObservationIgnored private var count = 0

    private struct Operation {
        let task: Task<OAuthClientError?, Never>
        let isSignIn: Bool
    }

    private struct Waiting {
        let number: Int
        let isSignIn: Bool
    }

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
    /// It runs in a task of its own, so that the sign-in goes on if a view that began it goes away. A sign-in that is still waiting
    /// for its user is cancelled first.
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
        await run(isSignIn: true) { manager throws(OAuthClientError) in
            _ = try await manager.signIn(scopes: scopes, using: userAgent, options: options, as: id)
        }
    }

    /// Cancels the sign-in that waits for its user, or for an earlier one to end, if there is one.
    ///
    /// The call that began it returns soon, without an error in ``lastError``. If the response has arrived already,
    /// the sign-in is completed, and its account is in use.
    public func cancel() {
        if waiting?.isSignIn == true { waiting = nil }
        guard let running, running.isSignIn else { return }
        running.task.cancel()
    }

    /// Signs the user of an account out.
    ///
    /// - Parameters:
    ///   - id: The account; `nil` for the one in use.
    ///   - deletingAccount: Whether it also leaves the list.
    /// - Returns: What was done, with the page that ends the user's session at the server
    ///   (``SignOutResult/endSessionURL``); `nil` if it failed, if no account is in use, and if another operation ran.
    @discardableResult
    public func signOut(_ id: AccountSummary.ID? = nil, deletingAccount: Bool = true) async -> SignOutResult? {
        let done = Mutex<SignOutResult?>(nil)
        await run { manager throws(OAuthClientError) in
            var account = id
            if account == nil { account = try await manager.current()?.id }
            guard let account else { return }
            let result = try await manager.signOut(account, deletingAccount: deletingAccount)
            done.withLock { $0 = result }
        }
        return done.withLock { $0 }
    }

    /// Uses an account from now on.
    ///
    /// - Parameter id: The account.
    public func select(_ id: AccountSummary.ID) async {
        await run { manager throws(OAuthClientError) in try await manager.select(id) }
    }

    private func run(
        isSignIn: Bool = false,
        _ work: @escaping @Sendable (AccountManager) async throws(OAuthClientError) -> Void
    ) async {
        if let waiting, !waiting.isSignIn { return }
        if let earlier = running {
            guard earlier.isSignIn else { return }
            count += 1
            let number = count
            waiting = Waiting(number: number, isSignIn: isSignIn)
            earlier.task.cancel()
            // Its browser must be closed before the next one opens.
            _ = await earlier.task.value
            // Cancelled, or a later operation has taken the place of this one too.
            guard waiting?.number == number else { return }
        }
        // No suspension from here until the operation runs: otherwise two could begin.
        waiting = nil
        isBusy = true
        lastError = nil
        let manager = manager
        let task = Task { () async -> OAuthClientError? in
            // In the task itself: whoever waits for it must find that nothing runs.
            defer { self.running = nil }
            do throws(OAuthClientError) {
                try await work(manager)
                return nil
            } catch {
                return error
            }
        }
        running = Operation(task: task, isSignIn: isSignIn)
        let result = await task.value
        guard running == nil else { return }
        lastError = result?.code == .cancelled ? nil : result
        // The stream may bring the new state later than the caller looks.
        await follow()
        if running == nil { isBusy = false }
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
