// SPDX-License-Identifier: Apache-2.0

/// Keeps tokens in the memory of this process.
public actor MemoryTokenStore: TokenStore {
    private var tokens: [ClientAccount: TokenSet] = [:]

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
}
