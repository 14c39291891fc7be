// SPDX-License-Identifier: Apache-2.0

import OAuthSystem

/// Signing out, and finishing sign-outs of which the server was not told, or whose process ended.
extension AccountManager {
    /// How long a manager waits before it works on the same sign-out again: the server may be down for long.
    private static let pause = Duration.seconds(3_600)
    /// How long it waits for tokens that cannot be read, or a key that cannot be deleted: the store may work again.
    private static let longestWait = Duration.seconds(7 * 86_400)

    /// Signs the user of an account out: tokens and key are deleted, and the server revokes the tokens.
    ///
    /// If it is the account in use, none is in use afterwards. A server that cannot be reached is told later, by any manager of
    /// the same storage, for seven days; until then the tokens are kept, marked as ended, and no session is made of them.
    ///
    /// - Parameters:
    ///   - id: The account.
    ///   - deletingAccount: Whether it also leaves the list; otherwise its user can sign in again.
    /// - Returns: What was done. For an account without a session only a key that is left is deleted, for one that is not in the
    ///   list nothing.
    /// - Throws: ``OAuthClientError/Code/storageFailed`` if the list cannot be changed, or the tokens cannot be read because the
    ///   device is locked or a newer version wrote them, and then no one was signed out. Tokens that are damaged are deleted.
    @discardableResult
    public func signOut(
        _ id: AccountSummary.ID,
        deletingAccount: Bool = true
    ) async throws(OAuthClientError) -> SignOutResult {
        let session = try await sessionToEnd(id)
        let name = try? await session?.tokenManager.signedInTokens().record.session
        let now = clock.now()
        let ended = EndedAccount(id: id, session: name, endedAt: now)
        // Until this is done, no call of this manager takes it up.
        attempts[id] = now
        // What is to be ended is listed until it is: whenever the process ends, the next one finds it.
        let list = try await update { list in
            if list[id] != nil { list.note(ended) }
            if deletingAccount { list[id] = nil } else { list[id]?.needsSignIn = .signedOut }
            if list.currentID == id { list.currentID = nil }
        }
        stopWatching(id)
        let result = await end(ended, session)
        publish(list)
        return result
    }

    /// The session that a sign-out ends, whether or not it still has its key; `nil` if there is none, or its tokens are
    /// damaged.
    ///
    /// - Throws: ``OAuthClientError/Code/storageFailed`` for tokens that can be read another time.
    func sessionToEnd(_ id: AccountSummary.ID) async throws(OAuthClientError) -> OAuthSession? {
        if let session = sessions[id] { return session }
        let client = try makeClient(id)
        let stored: TokenSet?
        do throws(OAuthClientError) {
            stored = try await client.storedTokens()
        } catch {
            guard !error.mayPass else { throw error }
            return nil
        }
        guard let tokens = stored, !tokens.isEnded else { return nil }
        client.server.clock.adopt(tokens.record.clock)
        // An older version did not remember it; that is no reason to stay signed in.
        try? await client.noteBinding(of: tokens)
        return OAuthSession(client: client, tokens: tokens)
    }

    /// Ends a session, or what is left of one, and forgets the sign-out if it is finished.
    @discardableResult
    func end(_ ended: EndedAccount, _ session: OAuthSession?) async -> SignOutResult {
        var result = await session?.signOut()
        // It may have ended before, and another process may have made another one of the account.
        if result?.wasSignedIn != true { result = await finish(ended, deletingDamaged: true) }
        if let result, isFinished(ended, result) { await forget([ended]) }
        return result ?? .ofNoSession
    }

    /// The list, after sign-outs that are not finished were taken up again: each at most once an hour.
    func settled(_ list: AccountList) async -> AccountList {
        var finished: [EndedAccount] = []
        for ended in list.ended where isDue(ended.id) {
            attempts[ended.id] = clock.now()
            // The user of an account that is still listed may have signed in again.
            let isListed = list[ended.id] != nil
            let result = await finish(ended, sparingOthers: isListed, deletingDamaged: !isListed && isOld(ended))
            if let result, isFinished(ended, result) { finished.append(ended) }
        }
        guard !finished.isEmpty else { return list }
        return await forget(finished) ?? list
    }

    private func isDue(_ id: AccountSummary.ID) -> Bool {
        guard let last = attempts[id] else { return true }
        let passed = clock.now() - last
        // A clock that was set back says nothing.
        return passed < .zero || passed >= Self.pause
    }

    /// Deletes what a sign-out has left on this device, without waiting for the server.
    ///
    /// - Parameters:
    ///   - ended: The sign-out.
    ///   - sparingOthers: Whether tokens of a later sign-in to the account are left alone.
    ///   - deletingDamaged: Whether tokens that cannot be read are deleted.
    /// - Returns: What was done; `nil` if the server is told in the background, and the tokens are kept until then.
    private func finish(
        _ ended: EndedAccount,
        sparingOthers: Bool = false,
        deletingDamaged: Bool
    ) async -> SignOutResult? {
        guard let client = try? makeClient(ended.id) else { return nil }
        let tokens: TokenSet?
        do throws(OAuthClientError) {
            tokens = try await client.storedTokens()
        } catch {
            guard deletingDamaged, !error.mayPass else {
                return SignOutResult(wasSignedIn: false, atServer: .none, tokens: .kept(error), key: .none)
            }
            return await Self.deleteDamaged(client)
        }
        guard let tokens else {
            // The key may be that of a sign-in which runs.
            guard !sparingOthers else { return .ofNoSession }
            let key = await client.deleteKeysWithoutTokens()
            return SignOutResult(wasSignedIn: false, atServer: .none, tokens: .none, key: key)
        }
        if sparingOthers, !ended.includes(tokens) { return .ofNoSession }
        await SessionTermination(client: client, tokens: tokens).complete()
        return nil
    }

    /// Deletes tokens that cannot be read, and so cannot be revoked, with the key that would be needed to use them.
    private static func deleteDamaged(_ client: OAuth2Client) async -> SignOutResult {
        var tokens = SignOutResult.OnDevice.deleted
        do throws(OAuthClientError) {
            try await client.deleteTokens()
        } catch {
            tokens = .kept(error)
        }
        let key = await client.deleteKeysWithoutTokens()
        return SignOutResult(wasSignedIn: false, atServer: .none, tokens: tokens, key: key)
    }

    /// Whether nothing is left to do, now or later.
    private func isFinished(_ ended: EndedAccount, _ result: SignOutResult) -> Bool {
        if case .pending = result.atServer { return false }
        if case .kept = result.tokens { return false }
        guard case .kept = result.key else { return true }
        return isOld(ended)
    }

    private func isOld(_ ended: EndedAccount) -> Bool {
        clock.now() - ended.endedAt > Self.longestWait
    }

    /// Forgets finished sign-outs, and none that came later.
    ///
    /// - Returns: The changed list; `nil` if it could not be changed, and then the next attempt finds nothing left to do.
    @discardableResult
    private func forget(_ finished: [EndedAccount]) async -> AccountList? {
        let changed = try? await update { list in
            list.ended.removeAll { noted in
                finished.contains { $0.id == noted.id && $0.endedAt == noted.endedAt }
            }
        }
        guard let changed else { return nil }
        for ended in finished { attempts[ended.id] = nil }
        return changed
    }
}

extension EndedAccount {
    /// Whether stored tokens are those of the session that ended, rather than of a later sign-in.
    fileprivate func includes(_ tokens: TokenSet) -> Bool {
        if tokens.isEnded { return true }
        guard let name = tokens.record.session, let session else { return false }
        return name.isIdentical(to: session)
    }
}
