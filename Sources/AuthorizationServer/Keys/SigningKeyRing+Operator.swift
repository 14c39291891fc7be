// SPDX-License-Identifier: Apache-2.0

public import JOSE
import OAuthSystem
import ServerStorage
import SigningKeys

extension SigningKeyRing {
    /// Rotates the active key early, as soon as the next key has been published long enough.
    ///
    /// - Parameter algorithm: The algorithm of the key.
    /// - Throws: ``AuthorizationServerError`` – ``AuthorizationServerError/Code/invalidValue`` if it has no key,
    ///   ``AuthorizationServerError/Code/busy``, ``AuthorizationServerError/Code/storageFailed``.
    public func rotateSoon(_ algorithm: SignatureAlgorithm) async throws(AuthorizationServerError) {
        let (active, next) = try await neighbours(algorithm)
        let soon = max(Self.earliest(after: active, at: clock.now()), next.publishedAt + policy.publication)
        guard try await stored({ try await $0.activateSigningKey(next.keyID, at: soon) }) else { return }
        record(.signingKeyActivated, next, from: soon)
    }

    /// Rotates the active key at once; its signatures stay valid.
    ///
    /// Verifiers that cache the key set, and do not fetch it again for an unknown key, reject new tokens for a while,
    /// unless the next key was already published.
    ///
    /// - Parameter algorithm: The algorithm of the key.
    /// - Throws: ``AuthorizationServerError`` – ``AuthorizationServerError/Code/invalidValue`` if it has no key,
    ///   ``AuthorizationServerError/Code/busy``, ``AuthorizationServerError/Code/storageFailed``.
    public func rotateNow(_ algorithm: SignatureAlgorithm) async throws(AuthorizationServerError) {
        let (active, next) = try await neighbours(algorithm)
        let now = Self.earliest(after: active, at: clock.now())
        guard try await stored({ try await $0.activateSigningKey(next.keyID, at: now) }) else { return }
        record(.signingKeyActivated, next, from: now)
    }

    /// Revokes every key of an algorithm, including next and retired ones, and signs with a new one: for leaked keys.
    ///
    /// Verifiers reject the signatures of these keys as soon as they fetch the key set again.
    ///
    /// - Parameter algorithm: The algorithm of the keys.
    /// - Throws: ``AuthorizationServerError`` – ``AuthorizationServerError/Code/storageFailed``. If a device fails to
    ///   delete a key, all keys are revoked nevertheless.
    public func revokeAll(_ algorithm: SignatureAlgorithm) async throws(AuthorizationServerError) {
        try await openAll(orLost: true)
        let revoked = try await keys().filter { $0.algorithm == algorithm && $0.revokedAt == nil }.map(\.wrappedKey)
        let key = publish(try await makeKey(algorithm), activeFrom: nil)
        try await stored { try await $0.revokeSigningKeys(replacingWith: key, at: key.publishedAt) }
        record(.signingKeysRevoked, detail: algorithm.rawValue)
        record(.signingKeyMade, key)
        var failure: KeyStoreError?
        for sealed in revoked {
            do throws(KeyStoreError) { try await place.delete(sealed) } catch { failure = failure ?? error }
        }
        if let failure { throw Self.undeletedFailure(failure) }
    }

    /// The active key and the next one, which is made if there is none.
    private func neighbours(
        _ algorithm: SignatureAlgorithm
    ) async throws(AuthorizationServerError) -> (active: StoredSigningKey, next: StoredSigningKey) {
        try await openAll()
        let schedule = try await self.schedule(of: algorithm)
        guard let active = schedule.active else {
            throw AuthorizationServerError(.invalidValue, "there is no key of that algorithm to be replaced")
        }
        if let next = schedule.next { return (active, next) }
        let made = try await makeKey(algorithm)
        let new = publish(made, activeFrom: Self.earliest(after: active, at: clock.now()))
        if try await stored({ try await $0.add(new, after: active.keyID) }) {
            record(.signingKeyMade, new)
            return (active, new)
        }
        // Another process stored a key first, which serves as well.
        await discard(new)
        guard let next = try await self.schedule(of: algorithm).next else {
            throw AuthorizationServerError(.busy, "another process changes the keys at this moment: try again")
        }
        return (active, next)
    }

    /// A key must not become active before its predecessor: if the clock was set back, their order would change.
    private static func earliest(after active: StoredSigningKey, at now: Timestamp) -> Timestamp {
        max(now, active.activeFrom + .milliseconds(1))
    }

    /// Requires that all keys open: a process that cannot open them must not add one, or the server could not start
    /// again.
    ///
    /// A key that its device has lost never opens. It is tolerated when all keys are revoked.
    private func openAll(orLost mayBeLost: Bool = false) async throws(AuthorizationServerError) {
        for key in try await keys() where key.revokedAt == nil {
            do throws(AuthorizationServerError) {
                try await open(key)
            } catch {
                guard mayBeLost, (error.underlying as? KeyStoreError)?.code == .keyLost else { throw error }
            }
        }
    }
}
