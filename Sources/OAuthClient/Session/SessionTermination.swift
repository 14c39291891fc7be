// SPDX-License-Identifier: Apache-2.0

import OAuthSystem

/// Signs out: marks the stored tokens as ended, deletes the key, revokes the tokens, deletes them.
///
/// A failed step does not stop the next. Tokens and key of another session of the account are left alone.
struct SessionTermination: Sendable {
    /// How long tokens are kept that could not be revoked.
    private static let patience = Duration.seconds(7 * 86_400)

    let client: OAuth2Client
    /// The tokens that this process knows; the stored ones may be newer.
    let tokens: TokenSet
    /// Whether the session is that of the account, with stored tokens and a key of its own.
    var isStored = true

    /// Ends the session.
    ///
    /// First, without a lock or the network, the stored tokens are marked as ended.
    func run() async -> SignOutResult {
        guard isStored else {
            return SignOutResult(wasSignedIn: true, atServer: await revoke(tokens), tokens: .deleted, key: .none)
        }
        let mark = await markAsEnded()
        let result = await withLock { await finish(mark) }
        await tellIfDone(result.atServer, result.tokens)
        return result
    }

    /// Continues a sign-out that another process began: deletes the key now, and revokes the tokens in the background.
    ///
    /// The key is gone when this returns, so that a sign-in that follows does not use one that is about to be deleted.
    func resume() async {
        _ = await deleteKey(of: tokens)
        let age = tokens.record.endedAt.map { client.clock.now() - $0 } ?? .zero
        guard age <= Self.patience else {
            let change = try? await client.change(isOwn, to: { _ in nil })
            if case .made? = change { await tellIfDone(.none, .deleted) }
            return
        }
        Task {
            // The key is not touched again: it may be that of a new sign-in by now.
            let result = await revoke(tokens)
            let deletion = await withLock { await deleteMark(unlessPending: result) }
            await tellIfDone(result, deletion)
        }
    }

    /// Tells the owner of the client that nothing is left of the session, and so nothing that needs its secret.
    private func tellIfDone(_ atServer: SignOutResult.AtServer, _ tokens: SignOutResult.OnDevice) async {
        if case .pending = atServer { return }
        // Without tokens of this session a newer one has taken its place, or another process has ended it.
        guard case .deleted = tokens, let tell = client.configuration.whenSignOutIsDone else { return }
        // The user may have signed in again while the server was told; and what cannot be deleted may be revoked later.
        do throws(OAuthClientError) {
            guard try await client.storedTokens() == nil else { return }
        } catch {
            return
        }
        await tell()
    }

    /// Ends a session that an earlier sign-out was to end, whatever it has done: only the device is waited for.
    func complete() async {
        if !tokens.isEnded { _ = await markAsEnded() }
        await resume()
    }

    private enum Mark {
        case set, notNeeded
        case failed(OAuthClientError)
    }

    /// From here on no process makes a session of the stored tokens.
    private func markAsEnded() async -> Mark {
        let now = client.clock.now()
        do throws(OAuthClientError) {
            let change = try await client.change(
                isOwn,
                to: { stored in
                    stored.noting { record in
                        record.endedAt = record.endedAt ?? now
                        record.authSession = nil
                    }
                }
            )
            if case .refused = change { return .notNeeded }
            return .set
        } catch {
            return .failed(error)
        }
    }

    /// Whether stored tokens are those of the session that ends.
    private func isOwn(_ stored: TokenSet) -> Bool {
        stored.continuesSession(of: tokens)
    }

    /// Ends the session while holding the refresh lock: a refresh that was running may have stored new tokens.
    private func finish(_ earlier: Mark) async -> SignOutResult {
        var stored: TokenSet?
        // A newer session of the account has the key, and so may tokens that a newer version wrote.
        var isReplaced = false
        do throws(OAuthClientError) {
            stored = try await client.storedTokens()
        } catch {
            isReplaced = error.underlying is NewerFormat
        }
        let isStored = stored.map(isOwn) ?? false
        isReplaced = isReplaced || (stored != nil && !isStored)
        var mark = earlier
        if isStored, stored?.isEnded == false { mark = await markAsEnded() }
        let ended = isStored ? stored ?? tokens : tokens
        // An attested client needs the key to revoke; any other one is rid of it even if the server cannot be reached.
        let early = client.configuration.clientAuthentication.isAttested ? await revoke(ended) : nil
        if early != nil, let now = try? await client.storedTokens(), !isOwn(now) { isReplaced = true }
        let key = isReplaced ? .none : await deleteKey(of: ended)
        let atServer = if let early { early } else { await revoke(ended) }
        let forgotten = await deleteMark(unlessPending: atServer)
        return SignOutResult(
            wasSignedIn: true,
            atServer: atServer,
            tokens: Self.outcome(mark, forgotten, isReplaced: isReplaced),
            key: key
        )
    }

    private static func outcome(
        _ mark: Mark,
        _ deletion: SignOutResult.OnDevice,
        isReplaced: Bool
    ) -> SignOutResult.OnDevice {
        if case .failed(let error) = mark, error.underlying is NewerFormat { return .kept(error) }
        if isReplaced { return .none }
        // A mark keeps every process from using the tokens, even if they cannot be deleted.
        if case .kept(let error) = deletion, case .failed = mark { return .kept(error) }
        return .deleted
    }

    /// Deletes the tokens, unless they are needed to try the revocation again, or are those of another session.
    @discardableResult
    private func deleteMark(unlessPending result: SignOutResult.AtServer) async -> SignOutResult.OnDevice {
        var isPending = false
        if case .pending = result { isPending = true }
        do throws(OAuthClientError) {
            let keepsMark = isPending
            let change = try await client.change(isOwn, to: { keepsMark && $0.isEnded ? $0 : nil })
            if case .refused = change { return .none }
            return .deleted
        } catch {
            if error.underlying is NewerFormat { return .kept(error) }
            // What cannot be read cannot be kept for later. What can be read may be those of another user by now.
            if (try? await client.storedTokens()) != nil { return .kept(error) }
        }
        do throws(OAuthClientError) {
            try await client.deleteTokens()
            return .deleted
        } catch {
            return .kept(error)
        }
    }

    private func deleteKey(of ended: TokenSet) async -> SignOutResult.OnDevice {
        // Tokens that were never bound have no key, and the store may not be able to make one.
        guard let thumbprint = ended.keyThumbprint else { return .none }
        do {
            try await client.keyring.delete(boundTo: thumbprint)
            return .deleted
        } catch {
            return .kept(error)
        }
    }

    private func revoke(_ tokens: TokenSet) async -> SignOutResult.AtServer {
        do throws(OAuthClientError) {
            try await client.revoke(tokens)
            return .revoked
        } catch {
            switch error.code {
            // A server without a revocation endpoint lets tokens expire: nothing more can be done.
            case .unsupportedByServer: return .unsupported
            case .transportFailed, .serverUnavailable, .cancelled: return .pending(error)
            default: return .failed(error)
            }
        }
    }

    /// If another process does not release the lock, the work is done without it, as the user wants.
    @discardableResult
    private func withLock<Value: Sendable>(_ body: @Sendable () async -> Value) async -> Value {
        do {
            return try await client.tokenStore.withRefreshLock(on: client.account) { await body() }
        } catch {
            return await body()
        }
    }
}
