// SPDX-License-Identifier: Apache-2.0

import StrictJSON

extension StoredAccessToken {
    /// Its values, in the order in which they are inserted.
    package var storedValues: [StoredValue] {
        [.hash(tokenHash), .text(grantID), .json(.object(claims)), .time(expiresAt)]
    }

    /// Reads a token: the columns as they are inserted, without the hash.
    ///
    /// - Parameters:
    ///   - tokenHash: The hash of the token.
    ///   - row: A row of `access_tokens`.
    /// - Throws: ``StorageError/Code/corrupted``.
    package init(_ tokenHash: SecretHash, row: some StoredRow) throws(StorageError) {
        self.init(
            tokenHash: tokenHash,
            grantID: try row.text(0),
            claims: try row.object(1),
            expiresAt: try row.time(2)
        )
    }
}
