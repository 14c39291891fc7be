// SPDX-License-Identifier: Apache-2.0

import OAuthSystem

/// The list behind the sessions, and what keeps both in step.
extension AccountManager {
    /// How long a sign-in that was never finished stays in the list.
    private static let patience = Duration.seconds(86_400)
    static let unknownAccount = OAuthClientError(.invalidArgument, "there is no such account")

    func list() async throws(OAuthClientError) -> AccountList {
        let list: AccountList
        do {
            list = try await store.list()
        } catch {
            throw OAuthClientError(error, otherwise: .storageFailed, "the list of accounts cannot be read")
        }
        try requireOwn(list)
        return list
    }

    /// The accounts of another server or client have tokens and keys that this manager does not find.
    private func requireOwn(_ list: AccountList) throws(OAuthClientError) {
        guard list.owner == nil || list.owner == owner else {
            throw OAuthClientError(
                .invalidArgument,
                "the list of accounts is that of another server or client: give each a storage of its own"
            )
        }
    }

    @discardableResult
    func update(
        _ change: @escaping @Sendable (inout AccountList) -> Void
    ) async throws(OAuthClientError) -> AccountList {
        let owner = owner
        let list: AccountList
        do {
            list = try await store.update { list in
                guard list.owner == nil || list.owner == owner else { return }
                list.owner = owner
                change(&list)
            }
        } catch {
            throw OAuthClientError(error, otherwise: .storageFailed, "the list of accounts cannot be stored")
        }
        try requireOwn(list)
        return list
    }

    func publish(_ list: AccountList) {
        guard let account = list.current else { return state.set(.signedOut) }
        state.set(account.needsSignIn.map { .needsSignIn(account, $0) } ?? .signedIn(account))
    }

    func notePending(_ id: AccountSummary.ID) async throws(OAuthClientError) {
        let (now, issuer) = (clock.now(), owner.issuer)
        try await update { list in
            var account = AccountSummary(id: id, issuer: issuer, signedInAt: now)
            account.isPending = true
            list[id] = account
        }
    }

    /// A sign-in that failed leaves nothing, not even its key, unless its tokens were stored after all.
    func dropPending(_ id: AccountSummary.ID, _ client: OAuth2Client) async {
        do throws(OAuthClientError) {
            guard try await client.storedTokens() == nil else { return }
            let ended = EndedAccount(id: id, endedAt: clock.now())
            attempts[id] = ended.endedAt
            try await remove(unfinished: ended)
            await end(ended, nil)
        } catch {
            // The next listing looks again.
        }
    }

    /// Takes an account out of the list; what is left of it is listed as a sign-out until it is deleted.
    @discardableResult
    private func remove(unfinished ended: EndedAccount) async throws(OAuthClientError) -> AccountList {
        try await update { list in
            list.note(ended)
            list[ended.id] = nil
        }
    }

    /// Completes sign-ins whose tokens were stored, and forgets old ones without tokens.
    func completed(_ list: AccountList) async throws(OAuthClientError) -> AccountList {
        var list = list
        for account in list.accounts where account.isPending {
            let stored: TokenSet?
            do throws(OAuthClientError) {
                stored = try await makeClient(account.id).storedTokens()
            } catch {
                // They hide no other account; a sign-in that is a day old will not be finished with damaged ones.
                guard !error.mayPass else { continue }
                stored = nil
            }
            if let tokens = stored, !tokens.isEnded {
                list = try await update { $0[account.id]?.take(tokens, at: account.signedInAt) }
            } else if clock.now() - account.signedInAt > Self.patience {
                // There may be a key, and tokens that are marked as ended.
                list = try await remove(unfinished: EndedAccount(id: account.id, endedAt: clock.now()))
            }
        }
        return list
    }

    /// Whether stored tokens say that another user signed in than the one that the list names.
    ///
    /// Another program may have stored them, or an older version of this one. Nothing is done to them: they may be in use.
    func isAnother(
        _ session: OAuthSession,
        than account: AccountSummary
    ) async throws(OAuthClientError) -> Bool {
        guard let known = account.subject else { return false }
        // A session that ended meanwhile is found out by its next use.
        guard let found = try? await session.tokenManager.signedInTokens().idToken?.subject else { return false }
        return !found.isIdentical(to: known)
    }

    /// Notes that the server refuses the client, or that it knows it again; the session stays.
    func note(_ id: AccountSummary.ID, clientIsRefused: Bool) async {
        let reason: NeedsSignIn? = clientIsRefused ? .clientRefused : nil
        guard let list = try? await list(), let known = list[id], known.needsSignIn != reason,
            // A refresh says nothing about any other reason.
            clientIsRefused || known.needsSignIn == .clientRefused,
            let changed = try? await update({ $0[id]?.needsSignIn = reason })
        else { return }
        publish(changed)
    }
}
