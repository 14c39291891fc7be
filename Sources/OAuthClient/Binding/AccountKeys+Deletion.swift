// SPDX-License-Identifier: Apache-2.0

import JOSE
import SigningKeys

/// Deleting the keys of an account.
extension AccountKeys {
    /// Deletes the key if the store still reports it as lost, so that a new sign-in can make another one.
    ///
    /// Another process may have replaced the key meanwhile; that key is kept. The caller must hold the refresh lock.
    func deleteLostKey() async throws(OAuthClientError) {
        guard let binding else { return }
        forget()
        for type in binding.keyPairTypes { try await deleteIfLost(alias(type)) }
    }

    private func deleteIfLost(_ alias: KeyAlias) async throws(OAuthClientError) {
        do {
            _ = try await keyStore.load(alias)
        } catch {
            guard error.code == .keyLost else { return }
            do {
                try await keyStore.delete(alias)
            } catch {
                throw OAuthClientError(.keyUnavailable, "the key that is lost cannot be deleted", underlying: error)
            }
        }
    }

    /// Forgets the nonces and deletes the keys of every type, unless a new sign-in has made others.
    ///
    /// A caller that asks for a key meanwhile waits for the end of the deletion, even if the deleting task has been
    /// cancelled.
    ///
    /// - Parameter thumbprint: The key of the session that has ended.
    /// - Throws: ``OAuthClientError/Code/keyUnavailable``.
    func delete(boundTo thumbprint: JWKThumbprint) async throws(OAuthClientError) {
        try await delete(DeletedKeys(aliases: allAliases(), keyStore: keyStore, thumbprint: thumbprint))
    }

    /// Deletes the keys of every type, whichever they are: for an account without a session.
    ///
    /// - Returns: Whether there were any.
    /// - Throws: ``OAuthClientError/Code/keyUnavailable``.
    func deleteAll() async throws(OAuthClientError) -> Bool {
        let known: [KeyAlias]
        do {
            // Names only: a device is not asked about keys that are not there.
            known = try await keyStore.aliases()
        } catch {
            throw OAuthClientError(error, otherwise: .keyUnavailable, "the keys cannot be listed")
        }
        let own = try allAliases().filter(known.contains)
        guard !own.isEmpty else { return false }
        try await delete(DeletedKeys(aliases: own, keyStore: keyStore, thumbprint: nil))
        return true
    }

    private func delete(_ keys: DeletedKeys) async throws(OAuthClientError) {
        await deletionToEnd()
        forget()
        let task = Task { try await keys.delete() }
        deletion = task
        defer { if deletion == task { deletion = nil } }
        do {
            try await task.value
        } catch {
            throw OAuthClientError(error, otherwise: .keyUnavailable, "the key cannot be deleted")
        }
    }

    private func allAliases() throws(OAuthClientError) -> [KeyAlias] {
        var aliases: [KeyAlias] = []
        for type in KeyPairType.all { aliases.append(try alias(type)) }
        return aliases
    }
}
