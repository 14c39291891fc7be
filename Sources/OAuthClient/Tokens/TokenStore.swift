// SPDX-License-Identifier: Apache-2.0

/// Where the tokens of accounts are kept.
public protocol TokenStore: Sendable {
    /// The tokens of an account.
    ///
    /// - Parameter account: The account.
    /// - Returns: What was saved last; `nil` when there is nothing.
    /// - Throws: An error of the store; a store that is locked for now throws, it does not answer `nil`.
    func tokens(of account: ClientAccount) async throws -> TokenSet?

    /// Replaces the tokens of an account, whole or not at all.
    ///
    /// - Parameters:
    ///   - tokens: The new tokens.
    ///   - account: The account.
    /// - Throws: An error of the store; the old tokens are then still there.
    func save(_ tokens: TokenSet, of account: ClientAccount) async throws

    /// Deletes the tokens of an account; it is no error when there are none.
    ///
    /// - Parameter account: The account.
    /// - Throws: An error of the store.
    func deleteTokens(of account: ClientAccount) async throws

    /// Runs a refresh while nobody else refreshes the same account.
    ///
    /// Within a process the session takes care of that. A store that several processes share takes a lock around `body`,
    /// so that the second one finds the tokens of the first.
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
    /// Runs a refresh without a lock: for a store that one process uses.
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
