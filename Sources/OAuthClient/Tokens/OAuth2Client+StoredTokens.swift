// SPDX-License-Identifier: Apache-2.0

import SigningKeys
import Synchronization

extension OAuth2Client {
    /// The stored tokens, also those of a user who has signed out; `nil` if there are none.
    func storedTokens() async throws(OAuthClientError) -> TokenSet? {
        do {
            return try await tokenStore.tokens(of: account)
        } catch {
            throw OAuthClientError(error, otherwise: .storageFailed, "the tokens cannot be read")
        }
    }

    /// What happened to a change of the stored tokens.
    enum StoredChange: Sendable {
        case made
        /// The stored tokens are others than those that the change was for; they are as they were.
        case refused(stored: TokenSet?)
    }

    /// Changes the stored tokens in one step, with one retry, if they are those that the change is for.
    ///
    /// A sign-out and another sign-in wait for no refresh: only what is stored at the moment of the change decides.
    /// The difference of the clocks is stored next to the tokens.
    ///
    /// - Parameters:
    ///   - isMeant: Whether the change is for these tokens.
    ///   - change: Returns what to store; `nil` deletes the tokens.
    /// - Returns: Whether the change was made.
    /// - Throws: ``OAuthClientError/Code/storageFailed``.
    func change(
        _ isMeant: @escaping @Sendable (TokenSet) -> Bool,
        to change: @escaping @Sendable (TokenSet) -> TokenSet?
    ) async throws(OAuthClientError) -> StoredChange {
        let difference = server.clock.knownDifference
        let update: @Sendable (TokenSet?) throws -> TokenSet? = { stored in
            guard let stored, isMeant(stored) else { throw OtherTokens(stored: stored) }
            return change(stored)?.noting { $0.clock = difference }
        }
        do {
            do {
                try await tokenStore.updateTokens(of: account, update)
            } catch let other as OtherTokens {
                return .refused(stored: other.stored)
            } catch {
                try await tokenStore.updateTokens(of: account, update)
            }
            return .made
        } catch let other as OtherTokens {
            return .refused(stored: other.stored)
        } catch {
            throw OAuthClientError(error, otherwise: .storageFailed, "the tokens cannot be stored")
        }
    }

    /// Stores the tokens of a new sign-in, with one retry, in place of any others.
    ///
    /// Those that cannot be stored are revoked, so that they do not stay valid. So are those whose key a sign-out has
    /// deleted meanwhile, and the replaced ones, which no sign-out would find any more (RFC 9700 section 4.14).
    func save(_ tokens: TokenSet) async throws(OAuthClientError) {
        let noted = tokens.noting { $0.clock = server.clock.knownDifference }
        var replaced: TokenSet?
        do {
            try await noteBinding(of: tokens)
            do {
                replaced = try await saveUnlessSigningOut(noted)
            } catch is SignOutOfSameKey {
                try await saveAfterSignOut(noted)
            } catch {
                try await tokenStore.save(noted, of: account)
            }
        } catch {
            await discard(tokens)
            throw OAuthClientError(error, otherwise: .storageFailed, "the tokens cannot be stored").lost
        }
        try await requireKey(of: noted)
        if let replaced, Self.mustBeRevoked(replaced, after: tokens) { await discard(replaced) }
    }

    /// Whether replaced tokens could still be used by whoever has them, or wait for the revocation of an earlier sign-out.
    private static func mustBeRevoked(_ old: TokenSet, after new: TokenSet) -> Bool {
        (old.keyThumbprint == nil || old.isEnded) && old.canBeRevoked(besides: new)
    }

    /// Stores tokens unless those that they would replace are being signed out of, and have the same key.
    ///
    /// That sign-out deletes the key, unless it finds the new tokens; it looks while it holds the refresh lock.
    ///
    /// - Returns: The tokens that were replaced.
    private func saveUnlessSigningOut(_ tokens: TokenSet) async throws -> TokenSet? {
        let replaced = Mutex<TokenSet?>(nil)
        try await tokenStore.updateTokens(of: account) { stored in
            if let stored, stored.isEnded, let key = tokens.keyThumbprint, stored.keyThumbprint == key {
                throw SignOutOfSameKey()
            }
            replaced.withLock { $0 = stored }
            return tokens
        }
        return replaced.withLock { $0 }
    }

    /// Stores tokens once no sign-out holds the refresh lock; if the lock cannot be had, the user's sign-in counts.
    private func saveAfterSignOut(_ tokens: TokenSet) async throws {
        do {
            try await tokenStore.withRefreshLock(on: account) { try await tokenStore.save(tokens, of: account) }
        } catch {
            try await tokenStore.save(tokens, of: account)
        }
    }

    /// Fails if a sign-out has deleted the key of a new session, which is of no use then.
    private func requireKey(of tokens: TokenSet) async throws(OAuthClientError) {
        guard let thumbprint = tokens.keyThumbprint, await keyring.isDeleted(thumbprint) else { return }
        await discard(tokens)
        // If they cannot be deleted, the next start finds that they have no key.
        _ = try? await change({ $0.continuesSession(of: tokens) }, to: { _ in nil })
        throw OAuthClientError(.keyMissing, "a sign-out deleted the key while the sign-in ran; sign in again")
    }

    /// Deletes the stored tokens, whosever they are.
    func deleteTokens() async throws(OAuthClientError) {
        do {
            try await tokenStore.deleteTokens(of: account)
        } catch {
            throw OAuthClientError(error, otherwise: .storageFailed, "the tokens cannot be deleted")
        }
    }

    /// Deletes the keys of an account that has no tokens, whichever they are.
    ///
    /// It holds no lock: without tokens there is no refresh to wait for, and a sign-in that runs at the same time finds that its
    /// key is gone.
    func deleteKeysWithoutTokens() async -> SignOutResult.OnDevice {
        // A client that binds no tokens has made none, and its store may not be able to list any.
        guard configuration.tokenBoundConfiguration.binding != nil else { return .none }
        do throws(OAuthClientError) {
            return try await keyring.deleteAll() ? .deleted : .none
        } catch {
            return .kept(error)
        }
    }
}

/// The stored tokens are marked as ended, and the key that will be deleted is that of the new ones.
private struct SignOutOfSameKey: Error {}

/// The stored tokens are not those that a change was for.
private struct OtherTokens: Error {
    let stored: TokenSet?
}

extension OAuthClientError {
    /// Whether stored tokens that could not be read may be readable another time: by a newer version, or when the device is
    /// unlocked.
    var mayPass: Bool {
        code == .cancelled || underlying is NewerFormat || keyStoreError?.code == .deviceLocked
    }

    /// The same error for tokens that could not be stored: they were revoked.
    var lost: OAuthClientError {
        OAuthClientError(code, "\(reason); sign in again", underlying: underlying)
    }
}
