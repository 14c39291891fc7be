// SPDX-License-Identifier: Apache-2.0

package import JOSE

extension SigningKey {
    /// This key, if it has the requested algorithm.
    ///
    /// - Parameter algorithm: The requested algorithm.
    /// - Returns: The key.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/unsupportedAlgorithm``.
    package func signing(with algorithm: SignatureAlgorithm) throws(KeyStoreError) -> Self {
        guard self.algorithm == algorithm else {
            throw KeyStoreError(
                .unsupportedAlgorithm,
                "the stored key signs with \(self.algorithm): use that, or delete the key and make a new one"
            )
        }
        return self
    }
}
