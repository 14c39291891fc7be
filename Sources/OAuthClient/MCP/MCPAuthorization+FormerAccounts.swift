// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import OAuthSystem

/// Tokens and keys of earlier sign-ins for the same MCP server.
extension MCPAuthorization {
    /// Ends the accounts that the app had at another authorization server, or as another client.
    ///
    /// No sign-out would find them any more, and their refresh tokens would stay valid (RFC 9700 section 4.14). This does not
    /// wait for their server: it is told in the background, and again at the next start if it cannot be reached. If too many
    /// wait for that, nothing is kept of the oldest.
    func endFormerAccounts() async {
        // Also after a sign-out, when no session is in use.
        guard let former = (try? await storedRecord())?.former, !former.isEmpty else { return }
        var gone: [MCPServerRecord] = []
        for (index, account) in former.enumerated() {
            let mayWait = former.count - index <= MCPServerRecord.maximumWaiting
            if await end(account, mayWait: mayWait), await planner.release(account) { gone.append(account) }
        }
        await forget(gone)
    }

    /// Forgets accounts of which nothing is left.
    private func forget(_ gone: [MCPServerRecord]) async {
        guard !gone.isEmpty else { return }
        if let (session, record) = current { current = (session, record.withoutFormer(gone)) }
        // If it cannot be stored, the next start tries again.
        try? await store.updateRecord(MCPServerRecord.key(of: url)) { stored in
            guard let stored, let record = MCPServerRecord(stored: stored) else { return stored }
            return record.withoutFormer(gone).json
        }
    }

    /// Ends a session that another one has replaced.
    ///
    /// - Parameters:
    ///   - account: The account of the session.
    ///   - mayWait: Whether its tokens are kept until they are revoked. Otherwise they are deleted now, while the server is told
    ///     once more.
    /// - Returns: Whether nothing is left of it.
    private func end(_ account: MCPServerRecord, mayWait: Bool) async -> Bool {
        let authentication = try? await authentication(of: account)
        let plan = MCPPlan(
            record: account,
            // Without it, the server still revokes the tokens of a public client; others expire.
            authentication: authentication ?? ClientAuthentication.none,
            document: nil,
            context: ServerContext(issuer: account.issuer)
        )
        guard let client = try? client(for: plan, isFormer: true) else { return false }
        let stored: TokenSet?
        do throws(OAuthClientError) {
            stored = try await client.storedTokens()
        } catch {
            guard !error.mayPass else { return false }
            try? await client.deleteTokens()
            _ = await client.deleteKeysWithoutTokens()
            return true
        }
        if let tokens = stored {
            await SessionTermination(client: client, tokens: tokens).complete()
            guard !mayWait, await deleteTokens(client) else { return false }
        }
        _ = await client.deleteKeysWithoutTokens()
        return true
    }

    private func deleteTokens(_ client: OAuth2Client) async -> Bool {
        do throws(OAuthClientError) {
            try await client.deleteTokens()
            return true
        } catch {
            return false
        }
    }
}
