// SPDX-License-Identifier: Apache-2.0

import PKCE

extension StoredCode {
    /// Its values, in the order in which they are inserted.
    ///
    /// - Parameter nonce: The nonce as the driver stores it: it is the one text of a client that may hold U+0000.
    /// - Returns: The values.
    package func storedValues(nonce: StoredValue) -> [StoredValue] {
        [
            .hash(codeHash), .text(grantID), .text(clientID), .text(redirectURI), .text(codeChallenge.value),
            .text(codeChallenge.method.rawValue), .optional(dpopThumbprint), nonce, .time(expiresAt),
        ]
    }

    /// Reads a code: the columns as they are inserted, without the hash.
    ///
    /// - Parameters:
    ///   - codeHash: The hash of the code.
    ///   - row: A row of `codes`.
    ///   - nonce: The nonce as the driver reads it from column 6.
    /// - Throws: ``StorageError/Code/corrupted``.
    package init(_ codeHash: SecretHash, row: some StoredRow, nonce: String?) throws(StorageError) {
        self.init(
            codeHash: codeHash,
            grantID: try row.text(0),
            clientID: try row.text(1),
            redirectURI: try row.text(2),
            codeChallenge: try row.codeChallenge(3, method: 4),
            dpopThumbprint: try row.optionalThumbprint(5),
            nonce: nonce,
            expiresAt: try row.time(7)
        )
    }
}

extension CodeState {
    /// Reads a state from the columns behind that of the grant: `expires_at`, `used_by`, and whether it is revoked.
    ///
    /// - Parameter row: The row.
    /// - Throws: ``StorageError/Code/corrupted``.
    package init(row: some StoredRow) throws(StorageError) {
        self.init(
            expiresAt: try row.time(1),
            usedBy: try row.optionalAttempt(2),
            isRevoked: try row.flag(3)
        )
    }
}
