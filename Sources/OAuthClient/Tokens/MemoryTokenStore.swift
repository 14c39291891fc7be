// SPDX-License-Identifier: Apache-2.0

/// Keeps tokens in the memory of this process; sessions that share one refresh an account one at a time.
public actor MemoryTokenStore: TokenStore {
    private var tokens: [ClientAccount: TokenSet] = [:]
    /// The accounts that are locked, each with those who wait, in order.
    private var locks: [ClientAccount: [CheckedContinuation<Void, Never>]] = [:]

    /// Makes an empty store.
    public init() {}

    /// The tokens of an account.
    ///
    /// - Parameter account: The account.
    /// - Returns: What was saved last; `nil` when there is nothing.
    public func tokens(of account: ClientAccount) -> TokenSet? {
        tokens[account]
    }

    /// Replaces the tokens of an account.
    ///
    /// - Parameters:
    ///   - tokens: The new tokens.
    ///   - account: The account.
    public func save(_ tokens: TokenSet, of account: ClientAccount) {
        self.tokens[account] = tokens
    }

    /// Deletes the tokens of an account.
    ///
    /// - Parameter account: The account.
    public func deleteTokens(of account: ClientAccount) {
        tokens[account] = nil
    }

    /// Runs a refresh while no other session refreshes the same account.
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
        if locks[account] == nil {
            locks[account] = []
        } else {
            await withCheckedContinuation { locks[account, default: []].append($0) }
        }
        defer { unlock(account) }
        return try await body()
    }

    /// Hands the lock to whoever has waited longest.
    private func unlock(_ account: ClientAccount) {
        guard locks[account]?.isEmpty == false else {
            locks[account] = nil
            return
        }
        locks[account]?.removeFirst().resume()
    }
}
