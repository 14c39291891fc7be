// SPDX-License-Identifier: Apache-2.0

import DPoP
import JOSE
import SigningKeys

/// The key of an account with the nonces that servers gave for it; loaded when first needed, once.
actor DPoPKeyring {
    private let keyStore: any KeyStore
    private let account: ClientAccount
    private let clock: any WallClock
    private let entropy: any Entropy
    private let events: SessionEventHub
    private var loading: Task<DPoPContext?, any Error>?
    /// What was loaded: every call asks for it, and has no name of a key to make and no task to wait for.
    private var loaded: DPoPContext?
    /// The key whose loss was told already.
    private var lost: JWKThumbprint?

    init(
        keyStore: any KeyStore,
        account: ClientAccount,
        clock: any WallClock,
        entropy: any Entropy,
        events: SessionEventHub
    ) {
        self.keyStore = keyStore
        self.account = account
        self.clock = clock
        self.entropy = entropy
        self.events = events
    }

    /// The context of the key for a new sign-in; a key is made when there is none.
    func context() async throws(OAuthClientError) -> DPoPContext {
        if let context = try await load(orGenerate: true) { return context }
        // Whoever asked first asked for an existing key, and there was none.
        guard let context = try await load(orGenerate: true) else {
            throw OAuthClientError(.keyUnavailable, "the key store gave no key")
        }
        return context
    }

    /// The context of the key that something is bound to.
    func context(boundTo thumbprint: JWKThumbprint) async throws(OAuthClientError) -> DPoPContext {
        if let loaded, loaded.thumbprint == thumbprint { return loaded }
        var context = try await load(orGenerate: false)
        if let known = context, known.thumbprint != thumbprint {
            // Another process may have signed in anew: then its key is in the store.
            forget()
            context = try await load(orGenerate: false)
        }
        // A lost key means to start again, never to go on with a new one (RFC 9449 section 5).
        guard let context else {
            throw loss(of: thumbprint, .keyMissing, "the key that was signed in with is gone; sign in again")
        }
        guard context.thumbprint == thumbprint else {
            throw loss(of: thumbprint, .keyMismatch, "the key is not the one that was signed in with; sign in again")
        }
        return context
    }

    private func loss(of thumbprint: JWKThumbprint, _ code: OAuthClientError.Code, _ reason: String) -> OAuthClientError
    {
        if lost != thumbprint { events.send(.keyLost) }
        lost = thumbprint
        return OAuthClientError(code, reason)
    }

    /// Forgets the nonces and deletes the key.
    func delete() async throws(OAuthClientError) {
        forget()
        do {
            try await keyStore.delete(alias())
        } catch {
            throw OAuthClientError(error, otherwise: .keyUnavailable, "the key cannot be deleted")
        }
    }

    private func forget() {
        loading = nil
        loaded = nil
    }

    private func load(orGenerate: Bool) async throws(OAuthClientError) -> DPoPContext? {
        let alias = try alias()
        let task =
            loading
            ?? Task { [keyStore, clock, entropy] in
                let key =
                    orGenerate
                    ? try await keyStore.loadOrGenerate(alias: alias)
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

    private func alias() throws(OAuthClientError) -> KeyAlias {
        do {
            return try KeyAlias("dpop-" + account.identifier)
        } catch {
            throw OAuthClientError(.keyUnavailable, "the key has no name", underlying: error)
        }
    }
}
