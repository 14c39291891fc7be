// SPDX-License-Identifier: Apache-2.0

import JOSE
import SigningKeys
import StrictJSON

extension StoredSigningKey {
    /// Its values, in the order in which they are inserted and read.
    package var storedValues: [StoredValue] {
        [
            .text(keyID),
            .text(algorithm.rawValue),
            .json(.object(publicKey.json)),
            .blob(wrappedKey.bytes),
            .time(publishedAt),
            .time(activeFrom),
            .duration(tokenLifetime),
            .optional(revokedAt),
        ]
    }

    /// Reads a key.
    ///
    /// - Parameter row: A row of `signing_keys`.
    /// - Throws: ``StorageError/Code/corrupted``.
    package init(row: some StoredRow) throws(StorageError) {
        self.init(
            keyID: try row.text(0),
            algorithm: SignatureAlgorithm(rawValue: try row.text(1)),
            publicKey: try row.publicKey(2),
            wrappedKey: WrappedKey(try row.blob(3)),
            publishedAt: try row.time(4),
            activeFrom: try row.time(5),
            tokenLifetime: .milliseconds(try row.integer(6)),
            revokedAt: try row.optionalTime(7)
        )
    }
}
