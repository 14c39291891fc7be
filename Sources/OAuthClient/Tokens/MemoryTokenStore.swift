// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// Keeps tokens in the memory of this process. Sessions that share a store refresh an account one at a time.
public actor MemoryTokenStore: TokenStore, RedactedSecret {
    private var tokens: [ClientAccount: TokenSet] = [:]
    private var boundTokensGiven: Set<ClientAccount> = []
    /// The locked accounts, each with its waiting callers in order.
    private var locks: [ClientAccount: [CheckedContinuation<Void, Never>]] = [:]

    /// Makes an empty store.
    public init() {}

    /// The tokens of an account.
    ///
    /// - Parameter account: The account.
    /// - Returns: The tokens that were saved last; `nil` when there are none.
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

    /// Whether a server has ever given this client bound tokens, while the process ran.
    ///
    /// - Parameters:
    ///   - issuer: The issuer identifier of the server.
    ///   - clientID: The client identifier.
    /// - Returns: What was set last.
    public func hasGivenBoundTokens(issuer: String, clientID: String) -> Bool {
        boundTokensGiven.contains(.ofAll(issuer: issuer, clientID: clientID))
    }

    /// Remembers that a server gave bound tokens, or forgets it.
    ///
    /// - Parameters:
    ///   - hasGiven: What to remember.
    ///   - issuer: The issuer identifier of the server.
    ///   - clientID: The client identifier.
    public func setHasGivenBoundTokens(_ hasGiven: Bool, issuer: String, clientID: String) {
        let all = ClientAccount.ofAll(issuer: issuer, clientID: clientID)
        if hasGiven { boundTokensGiven.insert(all) } else { boundTokensGiven.remove(all) }
    }

    /// Changes the tokens of an account in one step.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - change: Gets the stored tokens, `nil` when there are none, and returns what to store; `nil` deletes them.
    /// - Throws: What `change` throws.
    public func updateTokens(
        of account: ClientAccount,
        _ change: @escaping @Sendable (TokenSet?) throws -> TokenSet?
    ) throws {
        tokens[account] = try change(tokens[account])
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

    /// Passes the lock to the caller that has waited longest.
    private func unlock(_ account: ClientAccount) {
        guard locks[account]?.isEmpty == false else {
            locks[account] = nil
            return
        }
        locks[account]?.removeFirst().resume()
    }
}
