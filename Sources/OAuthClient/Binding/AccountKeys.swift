// SPDX-License-Identifier: Apache-2.0

import DPoP
import JOSE
import OAuthSystem
import SigningKeys

/// Manages the key of an account and the nonces of servers for it. The key is loaded once, when first needed.
actor AccountKeys {
    private let keyStore: any KeyStore
    private let account: ClientAccount
    private let binding: BoundedTokenConfiguration?
    private let clock: any WallClock
    private let entropy: any Entropy
    private let troubles: KeyFailureReporter
    private var loading: Task<DPoPContext?, any Error>?
    /// While a deletion runs nothing is loaded: it would delete the key of a new sign-in, which this actor would then
    /// still hold.
    private var deletion: Task<Void, any Error>?
    /// The loaded key: a call that finds it needs no key alias and waits for no task.
    private var loaded: DPoPContext?

    init(
        keyStore: any KeyStore,
        account: ClientAccount,
        binding: BoundedTokenConfiguration?,
        clock: any WallClock,
        entropy: any Entropy,
        troubles: KeyFailureReporter
    ) {
        self.keyStore = keyStore
        self.account = account
        self.binding = binding
        self.clock = clock
        self.entropy = entropy
        self.troubles = troubles
    }

    /// The context of the key for a new sign-in, made if there is none; `nil` if tokens are not bound.
    func context() async throws(OAuthClientError) -> DPoPContext? {
        guard let binding else { return nil }
        do throws(OAuthClientError) {
            try await forgetWhatWasDeleted(binding.keyPairType)
            if let context = try await load(binding.keyPairType, orGenerate: true) { return context }
            // The first caller asked for an existing key, and there was none.
            guard let context = try await load(binding.keyPairType, orGenerate: true) else {
                throw OAuthClientError(.keyUnavailable, "the key store gave no key")
            }
            return context
        } catch {
            troubles.noKey(for: error)
            if await mayGoOnWithoutKey(after: error, binding) { return nil }
            throw error
        }
    }

    /// The context of the key with a thumbprint; `nil` for no thumbprint.
    func context(boundTo thumbprint: JWKThumbprint?) async throws(OAuthClientError) -> DPoPContext? {
        guard let thumbprint else {
            if let binding, binding.fallback == .fail {
                throw OAuthClientError(
                    .keyMismatch,
                    "the session is not bound to a key, and this client uses bound ones only; sign in again"
                )
            }
            return nil
        }
        guard let binding else {
            throw troubles.loss(
                of: thumbprint,
                .keyMismatch,
                "the session is bound to a key, and this client uses none"
            )
        }
        if let loaded, loaded.thumbprint == thumbprint { return loaded }
        return try await context(boundTo: thumbprint, binding.keyPairType)
    }

    private func context(
        boundTo thumbprint: JWKThumbprint,
        _ type: KeyPairType
    ) async throws(OAuthClientError) -> DPoPContext {
        var context: DPoPContext?
        do {
            context = try await load(type, orGenerate: false)
            if let known = context, known.thumbprint != thumbprint {
                // Another process may have signed in again: then its key is in the store.
                forget()
                context = try await load(type, orGenerate: false)
            }
        } catch {
            throw troubles.unusable(error, boundTo: thumbprint)
        }
        if let context, context.thumbprint == thumbprint { return context }
        if await isKey(thumbprint, ofAnotherTypeThan: type) {
            throw troubles.loss(
                of: thumbprint,
                .keyMismatch,
                "the key that was signed in with is not of the type \(type)"
            )
        }
        // If the key is lost, the user must sign in again; never continue with a new key (RFC 9449 section 5).
        guard context != nil else {
            throw troubles.loss(of: thumbprint, .keyMissing, "the key that was signed in with is gone")
        }
        throw troubles.loss(of: thumbprint, .keyMismatch, "the key is not the one that was signed in with")
    }

    /// The context of the key that a sign-in was begun with; `nil` when the account has another key by now, or none.
    ///
    /// No session was bound to it yet, so nothing is reported as lost.
    func contextOfSignIn(begunWith thumbprint: JWKThumbprint) async throws(OAuthClientError) -> DPoPContext? {
        guard let binding else { return nil }
        do {
            try await forgetWhatWasDeleted(binding.keyPairType)
            let context = try await load(binding.keyPairType, orGenerate: false)
            return context?.thumbprint == thumbprint ? context : nil
        } catch {
            guard error.keyStoreError?.code == .keyLost else { throw error }
            return nil
        }
    }

    /// Whether the store says that it has no key of the account any more; reports that once.
    ///
    /// It lists names and opens nothing, so that no person is asked. A store that cannot answer, such as a device that is
    /// not there, has not lost the key.
    func isGone(_ thumbprint: JWKThumbprint?) async -> Bool {
        guard let thumbprint, binding != nil, let known = try? await keyStore.aliases() else { return false }
        guard !KeyPairType.all.contains(where: { type in (try? alias(type)).map(known.contains) ?? true }) else {
            return false
        }
        _ = troubles.loss(of: thumbprint, .keyMissing, "the key that was signed in with is gone")
        return true
    }

    /// Deletes the key if the store still reports it as lost, so that a new sign-in can make another one.
    ///
    /// Another process may have replaced the key meanwhile; that key is kept. The caller must hold the refresh lock.
    func deleteLostKey() async throws(OAuthClientError) {
        guard let binding else { return }
        let alias = try alias(binding.keyPairType)
        forget()
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

    /// How hard it is to copy the key with a thumbprint; `nil` for no thumbprint.
    func protection(boundTo thumbprint: JWKThumbprint?) async throws(OAuthClientError) -> KeyProtection? {
        guard thumbprint != nil else { return nil }
        return try await context(boundTo: thumbprint)?.key.protection
    }

    /// The protection that the key of a new sign-in could have, if it is better than the current one.
    func strongerProtection() async throws(OAuthClientError) -> KeyProtection? {
        guard let binding else { return nil }
        do {
            return try await keyStore.strongerProtection(for: alias(binding.keyPairType))
        } catch {
            throw OAuthClientError(error, otherwise: .keyUnavailable, "the key cannot be used")
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
        await deletionToEnd()
        forget()
        var aliases: [KeyAlias] = []
        for type in KeyPairType.all { aliases.append(try alias(type)) }
        let task = Task { [keyStore, aliases] in
            guard await !Self.hasOnlyOtherKeys(than: thumbprint, aliases, keyStore) else { return }
            try await Self.delete(aliases, from: keyStore)
        }
        deletion = task
        defer { if deletion == task { deletion = nil } }
        do {
            try await task.value
        } catch {
            throw OAuthClientError(error, otherwise: .keyUnavailable, "the key cannot be deleted")
        }
    }

    /// Whether the keys of the account are those of another sign-in.
    ///
    /// A key that cannot be read may be the one.
    private static func hasOnlyOtherKeys(
        than thumbprint: JWKThumbprint,
        _ aliases: [KeyAlias],
        _ keyStore: any KeyStore
    ) async -> Bool {
        var hasOther = false
        for alias in aliases {
            do {
                guard let key = try await keyStore.load(alias) else { continue }
                guard key.publicKey.thumbprint != thumbprint else { return false }
                hasOther = true
            } catch {
                return false
            }
        }
        return hasOther
    }

    /// Deletes every key that it can, and throws the first error.
    private static func delete(_ aliases: [KeyAlias], from keyStore: any KeyStore) async throws(KeyStoreError) {
        var failure: KeyStoreError?
        for alias in aliases {
            do throws(KeyStoreError) {
                try await keyStore.delete(alias)
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }

    private func deletionToEnd() async {
        while let current = deletion {
            _ = await current.result
            // The first caller that gets here clears it: the deleting task may not have resumed yet.
            if deletion == current { deletion = nil }
        }
    }

    /// Another process may have signed out, and deleted the key that this process has loaded.
    private func forgetWhatWasDeleted(_ type: KeyPairType) async throws(OAuthClientError) {
        let alias = try alias(type)
        guard let known = loaded?.thumbprint else { return }
        let stored: JWKThumbprint?
        do {
            stored = try await keyStore.load(alias)?.publicKey.thumbprint
        } catch {
            // A key that cannot be read now may still exist, unless the store reports it as lost.
            if error.code == .keyLost { forget() }
            return
        }
        guard stored != known, loaded?.thumbprint == known else { return }
        forget()
    }

    private func forget() {
        loading = nil
        loaded = nil
    }

    private func load(_ type: KeyPairType, orGenerate: Bool) async throws(OAuthClientError) -> DPoPContext? {
        let alias = try alias(type)
        await deletionToEnd()
        let task =
            loading
            ?? Task { [keyStore, clock, entropy, troubles] in
                let key =
                    orGenerate
                    ? try await keyStore.loadOrGenerate(
                        alias: alias,
                        algorithm: type.algorithm,
                        reporting: troubles.note
                    )
                    : try await keyStore.load(alias)
                return key.map { DPoPContext(key: $0, clock: clock, entropy: entropy) }
            }
        loading = task
        do {
            let context = try await task.value
            if loading == task {
                loaded = context
                if context == nil { loading = nil }
            }
            return context
        } catch {
            // If the key is locked for now, the next caller tries again.
            if loading == task { loading = nil }
            throw OAuthClientError(error, otherwise: .keyUnavailable, "the key cannot be used")
        }
    }

    private static let meansNoKeyCanBeMade: Set<KeyStoreError.Code> = [
        .unsupportedAlgorithm, .storageFailed, .hardwareRequired, .missingEntitlement, .deviceUnavailable,
    ]

    /// Whether there is no key, none can be made, and the configuration allows a sign-in without a key.
    ///
    /// An existing key is never ignored: it may be readable the next time.
    private func mayGoOnWithoutKey(after error: OAuthClientError, _ binding: BoundedTokenConfiguration) async -> Bool {
        guard binding.fallback.contains(.unboundTokensWhenNoKeyCanBeMade),
            let code = error.keyStoreError?.code, Self.meansNoKeyCanBeMade.contains(code)
        else { return false }
        do {
            return try await keyStore.load(alias(binding.keyPairType)) == nil
        } catch {
            return false
        }
    }

    /// Whether the store has the key under the alias of another type, because the configuration has changed.
    private func isKey(_ thumbprint: JWKThumbprint, ofAnotherTypeThan type: KeyPairType) async -> Bool {
        for other in KeyPairType.all where other != type {
            if let key = try? await keyStore.load(alias(other)), key.publicKey.thumbprint == thumbprint { return true }
        }
        return false
    }

    /// Each type has its own alias, so that a key of one type never replaces a key of another.
    private func alias(_ type: KeyPairType) throws(OAuthClientError) -> KeyAlias {
        do {
            let suffix = type == .p256 ? "" : "-\(type)"
            return try KeyAlias("dpop-" + account.identifier + suffix)
        } catch {
            throw OAuthClientError(.keyUnavailable, "the key has no name", underlying: error)
        }
    }
}
