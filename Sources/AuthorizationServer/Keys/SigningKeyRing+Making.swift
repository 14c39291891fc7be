// SPDX-License-Identifier: Apache-2.0

import Dispatch
import JOSE
import SigningKeys

extension SigningKeyRing {
    /// A new key, not published yet.
    func makeKey(_ algorithm: SignatureAlgorithm) async throws(AuthorizationServerError) -> StoredSigningKey {
        // A key of RSA takes half a second: not on the threads that answer requests.
        let made: Result<SoftwareSigningKey, KeyStoreError> = await withCheckedContinuation { continuation in
            DispatchQueue.global(qos: .utility).async {
                continuation.resume(
                    returning: Result { () throws(KeyStoreError) in try SoftwareSigningKey.generate(algorithm) }
                )
            }
        }
        do {
            return try seal(try made.get())
        } catch let error as AuthorizationServerError {
            throw error
        } catch {
            throw AuthorizationServerError(.storageFailed, "the platform did not make a key", underlying: error)
        }
    }

    /// The record of a key, which is tried before it is stored: what does not open must never sign.
    func seal(_ key: SoftwareSigningKey) throws(AuthorizationServerError) -> StoredSigningKey {
        let now = clock.now()
        return StoredSigningKey(
            keyID: key.keyID,
            algorithm: key.algorithm,
            publicKey: key.publicKey.named(key.keyID, algorithm: key.algorithm),
            sealedKey: try seal(key, with: sealer),
            publishedAt: now,
            activeFrom: now,
            tokenLifetime: tokenLifetime
        )
    }

    /// A key as it is stored, which is tried.
    func seal(
        _ key: SoftwareSigningKey,
        with sealer: any KeySealer
    ) throws(AuthorizationServerError) -> SealedKey {
        do {
            let alias = try KeyAlias(key.keyID)
            let sealed = try sealer.seal(key, as: alias)
            _ = try sealer.open(sealed, as: alias)
            return sealed
        } catch {
            throw AuthorizationServerError(.storageFailed, "a key cannot be encrypted", underlying: error)
        }
    }
}
