// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import JOSE
import SigningKeys

extension KeyStore {
    /// The alias under which this store has a key.
    ///
    /// - Parameter key: The key.
    /// - Returns: The alias; `nil` if the store does not have the key.
    /// - Throws: `KeyStoreError`.
    func alias(of key: any SigningKey) async throws(KeyStoreError) -> KeyAlias? {
        for alias in try await aliases()
        where try await load(alias)?.publicKey.thumbprint == key.publicKey.thumbprint {
            return alias
        }
        return nil
    }
}
#endif
