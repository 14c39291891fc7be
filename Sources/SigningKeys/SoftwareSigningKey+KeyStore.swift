// SPDX-License-Identifier: Apache-2.0

package import JOSE

extension SoftwareSigningKey {
    /// Makes a key for a store.
    ///
    /// - Parameter algorithm: The algorithm of the key.
    /// - Returns: The key.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/unsupportedAlgorithm``, ``KeyStoreError/Code/storageFailed``.
    package static func generate(_ algorithm: SignatureAlgorithm) throws(KeyStoreError) -> SoftwareSigningKey {
        do {
            return try SoftwareSigningKey(generating: algorithm)
        } catch {
            if error.code == .algorithmNotAllowed {
                throw KeyStoreError(.unsupportedAlgorithm, error.reason, underlying: error)
            }
            throw KeyStoreError(.storageFailed, "the platform did not make a key", underlying: error)
        }
    }
}
