// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthSystem
import ServerStorage
import SigningKeys
import Synchronization

extension SigningKeyRing {
    /// Makes a key that is not published yet.
    func makeKey(_ algorithm: SignatureAlgorithm) async throws(AuthorizationServerError) -> StoredSigningKey {
        do {
            let made = try await place.makeKey(algorithm)
            return record(of: made.key, made.sealed)
        } catch {
            throw AuthorizationServerError(.storageFailed, "a key to sign tokens was not made", underlying: error)
        }
    }

    /// The record of a key that was configured before the ring existed.
    func adopt(_ key: SoftwareSigningKey) throws(AuthorizationServerError) -> StoredSigningKey {
        guard let sealer else {
            throw AuthorizationServerError(.invalidConfiguration, "nothing says what an adopted key is encrypted with")
        }
        return record(of: key, try Self.seal(key, with: sealer))
    }

    private func record(of key: any SigningKey, _ sealed: WrappedKey) -> StoredSigningKey {
        let now = clock.now()
        return StoredSigningKey(
            keyID: key.keyID,
            algorithm: key.algorithm,
            publicKey: key.publicKey.named(key.keyID, algorithm: key.algorithm),
            wrappedKey: sealed,
            publishedAt: now,
            activeFrom: now,
            tokenLifetime: tokenLifetime
        )
    }

    /// Encrypts a key for storage and tests the result.
    static func seal(
        _ key: SoftwareSigningKey,
        with sealer: any KeyWrapper
    ) throws(AuthorizationServerError) -> WrappedKey {
        do {
            return try sealer.sealTried(key)
        } catch {
            throw AuthorizationServerError(.storageFailed, "a key cannot be encrypted", underlying: error)
        }
    }

    /// Deletes a key made here after another process stored one first; nothing refers to it.
    func discard(_ key: StoredSigningKey) async {
        do {
            try await place.delete(key.wrappedKey)
        } catch {
            undeleted.withLock { $0 = Self.undeletedFailure(error) }
        }
    }

    static func undeletedFailure(_ error: KeyStoreError) -> AuthorizationServerError {
        AuthorizationServerError(
            .storageFailed,
            "a key that signs no tokens any more was not deleted from its device",
            underlying: error
        )
    }
}
