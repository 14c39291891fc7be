// SPDX-License-Identifier: Apache-2.0

package import JOSE

extension SoftwareSigningKey {
    /// Makes a key for a store.
    ///
    /// - Parameter algorithm: What the key is to sign with.
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

    /// The key itself, when it signs with what is wanted.
    ///
    /// - Parameter algorithm: What is wanted.
    /// - Returns: The key.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/unsupportedAlgorithm``.
    package func signing(with algorithm: SignatureAlgorithm) throws(KeyStoreError) -> SoftwareSigningKey {
        guard self.algorithm == algorithm else {
            throw KeyStoreError(
                .unsupportedAlgorithm,
                "the stored key signs with \(self.algorithm): use that, or delete the key and make a new one"
            )
        }
        return self
    }
}
