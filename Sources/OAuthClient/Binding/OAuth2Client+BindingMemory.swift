// SPDX-License-Identifier: Apache-2.0

import OAuthCore

/// Remembers that the server gave bound tokens, longer than any session: what was bound once stays bound.
extension OAuth2Client {
    /// Forgets that the server has given this client bound tokens, and lets the next sign-in accept Bearer tokens again.
    ///
    /// Only for ``TokenBindingFallback/bearerTokensWhereBindingIsNotOffered``, after
    /// ``OAuthClientError/Code/bindingWithdrawn``, and only if the operator of the server confirms that it has given up
    /// DPoP. Accounts that are signed in with bound tokens stay bound until their users sign out.
    ///
    /// - Throws: ``OAuthClientError/Code/storageFailed``.
    public func forgetBoundTokens() async throws(OAuthClientError) {
        do {
            try await tokenStore.setHasGivenBoundTokens(false, issuer: issuer, clientID: clientID)
        } catch {
            throw OAuthClientError(error, otherwise: .storageFailed, "the store of tokens cannot be changed")
        }
    }

    /// Remembers it before bound tokens are stored.
    func noteBinding(of tokens: TokenSet) async throws(OAuthClientError) {
        guard tokens.tokenType == .dpop else { return }
        do {
            guard try await !tokenStore.hasGivenBoundTokens(issuer: issuer, clientID: clientID) else { return }
            try await tokenStore.setHasGivenBoundTokens(true, issuer: issuer, clientID: clientID)
        } catch {
            throw OAuthClientError(error, otherwise: .storageFailed, "the tokens cannot be stored")
        }
    }

    /// Whether the server has given bound tokens: to this account, or to any other one, even if it has signed out since.
    func hasGivenBoundTokens() async throws(OAuthClientError) -> Bool {
        do {
            if try await tokenStore.hasGivenBoundTokens(issuer: issuer, clientID: clientID) { return true }
            // An older version stored tokens and did not remember them.
            return try await tokenStore.tokens(of: account)?.tokenType == .dpop
        } catch {
            throw OAuthClientError(error, otherwise: .storageFailed, "the stored tokens cannot be read")
        }
    }

    /// Whether only that memory keeps the client from accepting Bearer tokens.
    func isHeldToBoundTokens() async throws(OAuthClientError) -> Bool {
        guard let binding = configuration.tokenBoundConfiguration.binding,
            binding.fallback.contains(.bearerTokensWhereBindingIsNotOffered),
            !binding.fallback.contains(.bearerTokensInsteadOfBoundOnes)
        else { return false }
        return try await hasGivenBoundTokens()
    }

    static func bindingWithdrawn(_ what: String) -> OAuthClientError {
        OAuthClientError(
            .bindingWithdrawn,
            "\(what), and it has given this client bound tokens before: that may be an attack; if the server has given up "
                + "DPoP, call forgetBoundTokens()"
        )
    }
}
