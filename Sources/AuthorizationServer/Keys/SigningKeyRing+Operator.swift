// SPDX-License-Identifier: Apache-2.0

public import JOSE
import OAuthSystem
import ServerStorage
import SigningKeys

extension SigningKeyRing {
    /// Has the active key replaced before its time, as soon as the next one was published for long enough.
    ///
    /// - Parameter algorithm: Whose key.
    /// - Throws: ``AuthorizationServerError`` – ``AuthorizationServerError/Code/invalidValue`` when it has none,
    ///   ``AuthorizationServerError/Code/busy``, ``AuthorizationServerError/Code/storageFailed``.
    public func rotateSoon(_ algorithm: SignatureAlgorithm) async throws(AuthorizationServerError) {
        let (active, next) = try await neighbours(algorithm)
        let soon = max(Self.earliest(after: active, at: clock.now()), next.publishedAt + policy.publication)
        _ = try await stored { try await $0.activateSigningKey(next.keyID, at: soon) }
    }

    /// Replaces the active key at once; what it has signed stays valid.
    ///
    /// Verifiers that keep the set of keys, and do not look again for a key that they do not know, refuse new tokens for a
    /// while unless the next key was published already.
    ///
    /// - Parameter algorithm: Whose key.
    /// - Throws: ``AuthorizationServerError`` – ``AuthorizationServerError/Code/invalidValue`` when it has none,
    ///   ``AuthorizationServerError/Code/busy``, ``AuthorizationServerError/Code/storageFailed``.
    public func rotateNow(_ algorithm: SignatureAlgorithm) async throws(AuthorizationServerError) {
        let (active, next) = try await neighbours(algorithm)
        let now = Self.earliest(after: active, at: clock.now())
        _ = try await stored { try await $0.activateSigningKey(next.keyID, at: now) }
    }

    /// Revokes every key of an algorithm, waiting and retired ones too, and signs with a new one: for when keys have leaked.
    ///
    /// What they have signed is refused as soon as verifiers look at the set of keys again.
    ///
    /// - Parameter algorithm: Whose keys.
    /// - Throws: ``AuthorizationServerError`` – ``AuthorizationServerError/Code/storageFailed``; when it is a device that did not
    ///   delete a key, all are revoked nevertheless.
    public func revokeAll(_ algorithm: SignatureAlgorithm) async throws(AuthorizationServerError) {
        try await openAll(orLost: true)
        let revoked = try await keys().filter { $0.algorithm == algorithm && $0.revokedAt == nil }.map(\.wrappedKey)
        let key = publish(try await makeKey(algorithm), activeFrom: nil)
        try await stored { try await $0.revokeSigningKeys(replacingWith: key, at: key.publishedAt) }
        var failure: KeyStoreError?
        for sealed in revoked {
            do throws(KeyStoreError) { try await place.delete(sealed) } catch { failure = failure ?? error }
        }
        if let failure { throw Self.undeletedFailure(failure) }
    }

    /// The active key and the one after it, which is made when there is none.
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
        if try await stored({ try await $0.add(new, after: active.keyID) }) { return (active, new) }
        // Another process was first: its key serves as well.
        await discard(new)
        guard let next = try await self.schedule(of: algorithm).next else {
            throw AuthorizationServerError(.busy, "another process changes the keys at this moment: try again")
        }
        return (active, next)
    }

    /// A key is never used before the one that it follows: where a clock was set back, the order would be another.
    private static func earliest(after active: StoredSigningKey, at now: Timestamp) -> Timestamp {
        max(now, active.activeFrom + .milliseconds(1))
    }

    /// Whoever cannot open the keys that are there must not add one: the server would not start again.
    ///
    /// One that its device has lost will never open: it may be there when all of them are revoked.
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
