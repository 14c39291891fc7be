// SPDX-License-Identifier: Apache-2.0

public import JOSE

extension SigningKeyRing {
    /// Has the active key replaced before its time, as soon as the next one was published for long enough.
    ///
    /// - Parameter algorithm: Whose key.
    /// - Throws: ``AuthorizationServerError`` – ``AuthorizationServerError/Code/storageFailed``.
    public func rotateSoon(_ algorithm: SignatureAlgorithm) async throws(AuthorizationServerError) {
        let last = try await lastKey(algorithm)
        let soon = max(clock.now(), last.publishedAt + policy.publication)
        guard last.activeFrom > soon else { return }
        _ = try await stored { try await $0.activateSigningKey(last.keyID, at: soon) }
    }

    /// Replaces the active key at once; what it has signed stays valid.
    ///
    /// Verifiers that keep the set of keys, and do not look again for a key that they do not know, refuse new tokens for a
    /// while unless the next key was published already.
    ///
    /// - Parameter algorithm: Whose key.
    /// - Throws: ``AuthorizationServerError`` – ``AuthorizationServerError/Code/storageFailed``.
    public func rotateNow(_ algorithm: SignatureAlgorithm) async throws(AuthorizationServerError) {
        let last = try await lastKey(algorithm)
        let now = clock.now()
        _ = try await stored { try await $0.activateSigningKey(last.keyID, at: now) }
    }

    /// Revokes every key of an algorithm, waiting and retired ones too, and signs with a new one: for when keys have leaked.
    ///
    /// What they have signed is refused as soon as verifiers look at the set of keys again.
    ///
    /// - Parameter algorithm: Whose keys.
    /// - Throws: ``AuthorizationServerError`` – ``AuthorizationServerError/Code/storageFailed``.
    public func revokeAll(_ algorithm: SignatureAlgorithm) async throws(AuthorizationServerError) {
        try await openAll()
        let key = publish(try await makeKey(algorithm), activeFrom: nil)
        try await stored { try await $0.revokeSigningKeys(replacingWith: key, at: key.publishedAt) }
    }

    /// The key after the active one, made when there is none; where there was no key at all, the first.
    private func lastKey(
        _ algorithm: SignatureAlgorithm
    ) async throws(AuthorizationServerError) -> StoredSigningKey {
        try await openAll()
        let schedule = try await self.schedule(of: algorithm)
        if let next = schedule.next { return next }
        let new = publish(try await makeKey(algorithm), activeFrom: clock.now())
        if try await stored({ try await $0.add(new, after: schedule.active?.keyID) }) { return new }
        // Another process was first: its key serves as well.
        guard let next = try await self.schedule(of: algorithm).next else {
            throw AuthorizationServerError(.storageFailed, "another process changes the keys: try again")
        }
        return next
    }

    /// Whoever cannot open the keys that are there must not add one: the server would not start again.
    private func openAll() async throws(AuthorizationServerError) {
        for key in try await keys() where key.revokedAt == nil { try open(key) }
    }
}
