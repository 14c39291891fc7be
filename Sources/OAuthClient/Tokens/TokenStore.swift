// SPDX-License-Identifier: Apache-2.0

/// Stores the tokens of accounts.
public protocol TokenStore: Sendable {
    /// The tokens of an account.
    ///
    /// - Parameter account: The account.
    /// - Returns: The tokens that were saved last; `nil` when there are none.
    /// - Throws: An error of the store. A store that is locked for now throws; it does not return `nil`.
    func tokens(of account: ClientAccount) async throws -> TokenSet?

    /// Replaces the tokens of an account atomically.
    ///
    /// - Parameters:
    ///   - tokens: The new tokens.
    ///   - account: The account.
    /// - Throws: An error of the store; the old tokens are kept.
    func save(_ tokens: TokenSet, of account: ClientAccount) async throws

    /// Deletes the tokens of an account. It is not an error if there are none.
    ///
    /// - Parameter account: The account.
    /// - Throws: An error of the store.
    func deleteTokens(of account: ClientAccount) async throws

    /// Changes the tokens of an account in one step: nobody else writes them between the reading and the writing.
    ///
    /// It lasts as long as a write, and waits for no refresh. So a sign-out takes effect while a refresh runs, and the
    /// refresh that ends later finds it.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - change: Gets the stored tokens, `nil` when there are none, and returns what to store; `nil` deletes them.
    /// - Throws: What `change` throws, or an error of the store; the old tokens are kept.
    func updateTokens(
        of account: ClientAccount,
        _ change: @escaping @Sendable (TokenSet?) throws -> TokenSet?
    ) async throws

    /// Whether a server has ever given this client bound tokens, for any account.
    ///
    /// - Parameters:
    ///   - issuer: The issuer identifier of the server.
    ///   - clientID: The client identifier.
    /// - Returns: What was set last; `false` if nothing was.
    /// - Throws: An error of the store.
    func hasGivenBoundTokens(issuer: String, clientID: String) async throws -> Bool

    /// Stores whether a server has given this client bound tokens. Deleting tokens does not delete this value.
    ///
    /// - Parameters:
    ///   - hasGiven: The value to store.
    ///   - issuer: The issuer identifier of the server.
    ///   - clientID: The client identifier.
    /// - Throws: An error of the store.
    func setHasGivenBoundTokens(_ hasGiven: Bool, issuer: String, clientID: String) async throws

    /// Runs a refresh while no other process refreshes the same account.
    ///
    /// Within a process the session ensures this. A store that several processes share holds a lock while `body` runs,
    /// so that the second process finds the tokens of the first.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - body: What to run.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws, or an error of the store.
    func withRefreshLock<Result: Sendable>(
        on account: ClientAccount,
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result
}

extension TokenStore {
    /// Always `false`: a store without a memory for it protects only accounts whose stored tokens are bound.
    ///
    /// - Parameters:
    ///   - issuer: The issuer identifier of the server.
    ///   - clientID: The client identifier.
    /// - Returns: `false`.
    /// - Throws: Nothing.
    public func hasGivenBoundTokens(issuer: String, clientID: String) async throws -> Bool { false }

    /// Does nothing.
    ///
    /// - Parameters:
    ///   - hasGiven: What to remember.
    ///   - issuer: The issuer identifier of the server.
    ///   - clientID: The client identifier.
    /// - Throws: Nothing.
    public func setHasGivenBoundTokens(_ hasGiven: Bool, issuer: String, clientID: String) async throws {}

    /// Reads, then writes: for a store that only one session uses.
    ///
    /// A store that several sessions or processes share must do both in one step, together with ``save(_:of:)`` and
    /// ``deleteTokens(of:)``. Otherwise, a refresh can overwrite a sign-out, or another sign-in, of the same moment.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - change: Gets the stored tokens, and returns what to store.
    /// - Throws: What `change` throws, or an error of the store.
    public func updateTokens(
        of account: ClientAccount,
        _ change: @escaping @Sendable (TokenSet?) throws -> TokenSet?
    ) async throws {
        let stored = try await tokens(of: account)
        let new = try change(stored)
        guard new != stored else { return }
        if let new { try await save(new, of: account) } else { try await deleteTokens(of: account) }
    }

    /// Runs a refresh without a lock: for a store that only one process uses.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - body: What to run.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws.
    public func withRefreshLock<Result: Sendable>(
        on account: ClientAccount,
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        try await body()
    }
}
