// SPDX-License-Identifier: Apache-2.0

import DPoP
import JOSE
import OAuthSystem
import SigningKeys

/// Manages the key of an account and the nonces of servers for it. The key is loaded once, when first needed.
actor AccountKeys {
    let keyStore: any KeyStore
    private let account: ClientAccount
    let binding: BoundedTokenConfiguration?
    private let clock: any WallClock
    private let entropy: any Entropy
    private let troubles: KeyFailureReporter
    private var loading: [KeyPairType: Task<DPoPContext?, any Error>] = [:]
    /// While a deletion runs nothing is loaded: it would delete the key of a new sign-in, which this actor would then
    /// still hold.
    var deletion: Task<Void, any Error>?
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
    ///
    /// `offered` is the types of key that the server accepts, in order of preference; `nil` means all of the client's.
    func context(of offered: [KeyPairType]? = nil) async throws(OAuthClientError) -> DPoPContext? {
        guard let binding else { return nil }
        let types = offered ?? binding.keyPairTypes
        do throws(OAuthClientError) {
            try await forgetWhatWasDeleted()
            if let context = try await existing(types) { return context }
            return try await made(types)
        } catch {
            troubles.noKey(for: error)
            if await mayGoOnWithoutKey(after: error, binding) { return nil }
            throw error
        }
    }

    /// The key that the account has already, of one of several types.
    ///
    /// With one type there is nothing to choose: then the store is asked once, to load or make the key.
    private func existing(_ types: [KeyPairType]) async throws(OAuthClientError) -> DPoPContext? {
        guard types.count > 1 else { return nil }
        if let loaded, types.contains(where: { $0.algorithm == loaded.key.algorithm }) { return loaded }
        for type in types {
            if let context = try await load(type, orGenerate: false) { return context }
        }
        return nil
    }

    /// Makes a key of the first type that the store supports.
    private func made(_ types: [KeyPairType]) async throws(OAuthClientError) -> DPoPContext {
        var refusal: OAuthClientError?
        for type in types {
            do throws(OAuthClientError) {
                if let context = try await load(type, orGenerate: true) { return context }
                // The first caller asked for an existing key, and there was none.
                if let context = try await load(type, orGenerate: true) { return context }
            } catch {
                guard error.keyStoreError?.code == .unsupportedAlgorithm else { throw error }
                refusal = refusal ?? error
            }
        }
        throw refusal ?? OAuthClientError(.keyUnavailable, "the key store gave no key")
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
        return try await context(boundTo: thumbprint, binding.keyPairTypes)
    }

    private func context(
        boundTo thumbprint: JWKThumbprint,
        _ types: [KeyPairType]
    ) async throws(OAuthClientError) -> DPoPContext {
        var hasOther = false
        do {
            for type in types {
                var context = try await load(type, orGenerate: false)
                if let known = context, known.thumbprint != thumbprint {
                    // Another process may have signed in again: then its key is in the store.
                    forget(type)
                    context = try await load(type, orGenerate: false)
                }
                if let context, context.thumbprint == thumbprint { return context }
                hasOther = hasOther || context != nil
            }
        } catch {
            throw troubles.unusable(error, boundTo: thumbprint)
        }
        if await isKey(thumbprint, ofAnotherTypeThan: types) {
            throw troubles.loss(
                of: thumbprint,
                .keyMismatch,
                "the key that was signed in with is not of the type \(types.map(\.description).joined(separator: " or "))"
            )
        }
        // If the key is lost, the user must sign in again; never continue with a new key (RFC 9449 section 5).
        guard hasOther else {
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
            try await forgetWhatWasDeleted()
            for type in binding.keyPairTypes {
                if let context = try await load(type, orGenerate: false), context.thumbprint == thumbprint {
                    return context
                }
            }
            return nil
        } catch {
            guard error.keyStoreError?.code == .keyLost else { throw error }
            return nil
        }
    }

    /// Whether the key of tokens is gone from the store, or another one is in its place; nothing is reported as lost.
    ///
    /// A store that cannot answer has not deleted it.
    func isDeleted(_ thumbprint: JWKThumbprint) async -> Bool {
        guard binding != nil else { return false }
        do {
            return try await contextOfSignIn(begunWith: thumbprint) == nil
        } catch {
            return false
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

    /// How hard it is to copy the key with a thumbprint; `nil` for no thumbprint.
    func protection(boundTo thumbprint: JWKThumbprint?) async throws(OAuthClientError) -> KeyProtection? {
        guard thumbprint != nil else { return nil }
        return try await context(boundTo: thumbprint)?.key.protection
    }

    /// The protection that the key of a new sign-in could have, if it is better than the current one.
    func strongerProtection() async throws(OAuthClientError) -> KeyProtection? {
        guard let binding else { return nil }
        do {
            let type = loadedType ?? binding.keyPairTypes[0]
            return try await keyStore.strongerProtection(for: alias(type))
        } catch {
            throw OAuthClientError(error, otherwise: .keyUnavailable, "the key cannot be used")
        }
    }

    func deletionToEnd() async {
        while let current = deletion {
            _ = await current.result
            // The first caller that gets here clears it: the deleting task may not have resumed yet.
            if deletion == current { deletion = nil }
        }
    }

    /// Another process may have signed out, and deleted the key that this process has loaded.
    private func forgetWhatWasDeleted() async throws(OAuthClientError) {
        guard let known = loaded?.thumbprint, let type = loadedType else { return }
        let alias = try alias(type)
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

    func forget() {
        loading = [:]
        loaded = nil
    }

    private func forget(_ type: KeyPairType) {
        loading[type] = nil
        if loadedType == type { loaded = nil }
    }

    private var loadedType: KeyPairType? {
        loaded.flatMap { loaded in KeyPairType.all.first { $0.algorithm == loaded.key.algorithm } }
    }

    private func load(_ type: KeyPairType, orGenerate: Bool) async throws(OAuthClientError) -> DPoPContext? {
        let alias = try alias(type)
        await deletionToEnd()
        let task =
            loading[type]
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
        loading[type] = task
        do {
            let context = try await task.value
            if loading[type] == task {
                if let context { loaded = context } else { loading[type] = nil }
            }
            return context
        } catch {
            // If the key is locked for now, the next caller tries again.
            if loading[type] == task { loading[type] = nil }
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
            let cause = error.keyStoreError, !cause.forbidsFallback, Self.meansNoKeyCanBeMade.contains(cause.code)
        else { return false }
        do {
            for type in binding.keyPairTypes where try await keyStore.load(alias(type)) != nil { return false }
            return true
        } catch {
            return false
        }
    }

    /// Whether the store has the key under the alias of another type, because the configuration has changed.
    private func isKey(_ thumbprint: JWKThumbprint, ofAnotherTypeThan types: [KeyPairType]) async -> Bool {
        for other in KeyPairType.all where !types.contains(other) {
            if let key = try? await keyStore.load(alias(other)), key.publicKey.thumbprint == thumbprint { return true }
        }
        return false
    }

    /// Each type has its own alias, so that a key of one type never replaces a key of another.
    func alias(_ type: KeyPairType) throws(OAuthClientError) -> KeyAlias {
        do {
            let suffix = type == .p256 ? "" : "-\(type)"
            return try KeyAlias("dpop-" + account.identifier + suffix)
        } catch {
            throw OAuthClientError(.keyUnavailable, "the key has no name", underlying: error)
        }
    }
}
