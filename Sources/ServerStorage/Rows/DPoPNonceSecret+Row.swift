// SPDX-License-Identifier: Apache-2.0

package import DPoP

extension DPoPNonceSecret {
    /// Reads a secret from the columns `number` and `secret`.
    ///
    /// - Parameter row: A row of `nonce_secrets`.
    /// - Throws: ``StorageError/Code/corrupted``.
    package init(row: some StoredRow) throws(StorageError) {
        guard let number = UInt8(exactly: try row.integer(0)) else { throw .unreadable(row.name(of: 0)) }
        let bytes = try row.blob(1)
        guard bytes.count == 32 else { throw .unreadable(row.name(of: 1)) }
        self.init(number: number, bytes: bytes)
    }
}
