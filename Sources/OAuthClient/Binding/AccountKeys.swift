// SPDX-License-Identifier: Apache-2.0

import DPoP
import JOSE
import OAuthSystem
import SigningKeys

/// The key of an account with the nonces that servers gave for it; loaded when first needed, once.
actor AccountKeys {
    private let keyStore: any KeyStore
    private let account: ClientAccount
    private let binding: BoundedTokenConfiguration?
    private let clock: any WallClock
    private let entropy: any Entropy
    private let troubles: KeyFailureReporter
    private var loading: Task<DPoPContext?, any Error>?
    /// Nothing is loaded while this runs: what a new sign-in were given would be deleted under its hands, and kept here.
    private var deletion: Task<Void, any Error>?
    /// What was loaded: every call asks for it, and has no name of a key to make and no task to wait for.
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

    /// The context of the key for a new sign-in, which is made when there is none; `nil` when nothing is bound.
    func context() async throws(OAuthClientError) -> DPoPContext? {
        guard let binding else { return nil }
        do throws(OAuthClientError) {
            try await forgetWhatWasDeleted(binding.keyPairType)
            if let context = try await load(binding.keyPairType, orGenerate: true) { return context }
            // Whoever asked first asked for an existing key, and there was none.
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

    /// The context of the key that something is bound to; `nil` for what is bound to none.
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
                // Another process may have signed in anew: then its key is in the store.
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
        // A lost key means to start again, never to go on with a new one (RFC 9449 section 5).
        guard context != nil else {
            throw troubles.loss(of: thumbprint, .keyMissing, "the key that was signed in with is gone")
        }
        throw troubles.loss(of: thumbprint, .keyMismatch, "the key is not the one that was signed in with")
    }

    /// Deletes the key if the store still says that it does not open any more: for a new sign-in, which mends that.
    ///
    /// Another process may have mended it meanwhile, whose new key stays; the caller keeps others out.
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

    /// How hard the key is to copy that something is bound to; `nil` for what is bound to none.
    func protection(boundTo thumbprint: JWKThumbprint?) async throws(OAuthClientError) -> KeyProtection? {
        guard thumbprint != nil else { return nil }
        return try await context(boundTo: thumbprint)?.key.protection
    }

    /// The protection of a key that a new sign-in could have, when that is better than what there is.
    func strongerProtection() async throws(OAuthClientError) -> KeyProtection? {
        guard let binding else { return nil }
        do {
            return try await keyStore.strongerProtection(for: alias(binding.keyPairType))
        } catch {
            throw OAuthClientError(error, otherwise: .keyUnavailable, "the key cannot be used")
        }
    }

    /// Forgets the nonces and deletes the keys, of whatever type they are.
    ///
    /// Whoever asks for a key meanwhile waits for the end of it, also when the one who deletes has been cancelled.
    func delete() async throws(OAuthClientError) {
        await deletionToEnd()
        forget()
        var aliases: [KeyAlias] = []
        for type in KeyPairType.all { aliases.append(try alias(type)) }
        let task = Task { [keyStore, aliases] in try await Self.delete(aliases, from: keyStore) }
        deletion = task
        defer { if deletion == task { deletion = nil } }
        do {
            try await task.value
        } catch {
            throw OAuthClientError(error, otherwise: .keyUnavailable, "the key cannot be deleted")
        }
    }

    /// Deletes what can be deleted, and throws the first failure.
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
            // Whoever comes here first says so: the one who deletes may not have had its turn yet.
            if deletion == current { deletion = nil }
        }
    }

    /// Another process may have signed out, and deleted the key that this one knows.
    private func forgetWhatWasDeleted(_ type: KeyPairType) async throws(OAuthClientError) {
        let alias = try alias(type)
        guard let known = loaded?.thumbprint else { return }
        let stored: JWKThumbprint?
        do {
            stored = try await keyStore.load(alias)?.publicKey.thumbprint
        } catch {
            // What cannot be looked at now may be there all the same, unless it is known to be lost.
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
            // A key that is locked for now is asked for again the next time.
            if loading == task { loading = nil }
            throw OAuthClientError(error, otherwise: .keyUnavailable, "the key cannot be used")
        }
    }

    private static let meansNoKeyCanBeMade: Set<KeyStoreError.Code> = [
        .unsupportedAlgorithm, .storageFailed, .hardwareRequired, .missingEntitlement, .deviceUnavailable,
    ]

    /// Whether there is no key, none can be made, and the client was told to sign in all the same.
    ///
    /// A key that is there is never passed over: it may open the next time.
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

    /// Whether the store has the key under the name of another type: the client was set to something else meanwhile.
    private func isKey(_ thumbprint: JWKThumbprint, ofAnotherTypeThan type: KeyPairType) async -> Bool {
        for other in KeyPairType.all where other != type {
            if let key = try? await keyStore.load(alias(other)), key.publicKey.thumbprint == thumbprint { return true }
        }
        return false
    }

    /// Each type has a name of its own, so that a key of one is never in the way of another.
    private func alias(_ type: KeyPairType) throws(OAuthClientError) -> KeyAlias {
        do {
            let suffix = type == .p256 ? "" : "-\(type)"
            return try KeyAlias("dpop-" + account.identifier + suffix)
        } catch {
            throw OAuthClientError(.keyUnavailable, "the key has no name", underlying: error)
        }
    }
}
