// SPDX-License-Identifier: Apache-2.0

extension OAuth2Client {
    /// The stored tokens, also those of a user who has signed out; `nil` if there are none.
    func storedTokens() async throws(OAuthClientError) -> TokenSet? {
        do {
            return try await tokenStore.tokens(of: account)
        } catch {
            throw OAuthClientError(error, otherwise: .storageFailed, "the tokens cannot be read")
        }
    }

    /// Stores tokens, and the difference of the clocks next to them, with one retry.
    func store(_ tokens: TokenSet) async throws(OAuthClientError) {
        let tokens = tokens.noting { $0.clock = server.clock.knownDifference }
        do {
            do {
                try await tokenStore.save(tokens, of: account)
            } catch {
                try await tokenStore.save(tokens, of: account)
            }
        } catch {
            throw OAuthClientError(error, otherwise: .storageFailed, "the tokens cannot be stored")
        }
    }

    /// Stores new tokens; those that cannot be stored are revoked, so that they do not stay valid.
    func save(_ tokens: TokenSet) async throws(OAuthClientError) {
        do throws(OAuthClientError) {
            try await store(tokens)
        } catch {
            await discard(tokens)
            throw OAuthClientError(error.code, "\(error.reason); sign in again", underlying: error.underlying)
        }
    }

    /// Deletes the stored tokens.
    func deleteTokens() async throws(OAuthClientError) {
        do {
            try await tokenStore.deleteTokens(of: account)
        } catch {
            throw OAuthClientError(error, otherwise: .storageFailed, "the tokens cannot be deleted")
        }
    }
}
