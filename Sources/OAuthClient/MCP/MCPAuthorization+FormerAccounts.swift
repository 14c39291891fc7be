// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import OAuthSystem

/// Tokens and keys of earlier sign-ins for the same MCP server.
extension MCPAuthorization {
    /// Ends the accounts that the app had at another authorization server, or as another client.
    ///
    /// No sign-out would find them any more, and their refresh tokens would stay valid (RFC 9700 section 4.14). This does not
    /// wait for their server: it is told in the background, and again at the next start if it cannot be reached.
    func endFormerAccounts() async {
        guard let former = current?.record.former, !former.isEmpty else { return }
        var left: [MCPServerRecord] = []
        for account in former {
            guard await end(account), await forgetRegistration(of: account) else {
                left.append(account)
                continue
            }
        }
        guard left.count < former.count, let session = current?.session, var record = current?.record else { return }
        record.former = left
        current = (session, record)
        // If it cannot be stored, the next start tries again.
        try? await save(record)
    }

    /// Deletes the secret of a client whose tokens are gone, unless a session for another MCP server needs it.
    ///
    /// - Returns: Whether nothing is left of it.
    private func forgetRegistration(of account: MCPServerRecord) async -> Bool {
        guard account.client == .registeredItself else { return true }
        do {
            try await planner.registrations.stored.release(account.clientID, at: account.issuer, by: server)
            return true
        } catch {
            return false
        }
    }

    /// Ends a session that another one has replaced.
    ///
    /// - Returns: Whether nothing is left of it.
    private func end(_ account: MCPServerRecord) async -> Bool {
        let authentication = try? await authentication(of: account)
        let plan = MCPPlan(
            record: account,
            // Without it, the server still revokes the tokens of a public client; others expire.
            authentication: authentication ?? ClientAuthentication.none,
            document: nil,
            context: ServerContext(issuer: account.issuer)
        )
        guard let client = try? client(for: plan) else { return false }
        let stored: TokenSet?
        do throws(OAuthClientError) {
            stored = try await client.storedTokens()
        } catch {
            guard !error.mayPass else { return false }
            try? await client.deleteTokens()
            _ = await client.deleteKeysWithoutTokens()
            return true
        }
        guard let tokens = stored else {
            _ = await client.deleteKeysWithoutTokens()
            return true
        }
        await SessionTermination(client: client, tokens: tokens).complete()
        return false
    }
}
