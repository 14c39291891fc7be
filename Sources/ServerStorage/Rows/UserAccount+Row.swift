// SPDX-License-Identifier: Apache-2.0

extension UserAccount {
    /// Its values, in the order in which they are inserted and read.
    package var storedValues: [StoredValue] {
        [.text(subject), .text(username), .text(passwordHash.encoded), .time(createdAt), .claims(claims)]
    }

    /// Reads an account.
    ///
    /// - Parameter row: A row of `users`.
    /// - Throws: ``StorageError`` – ``StorageError/Code/corrupted`` for a value that is none of an account.
    package init(row: some StoredRow) throws(StorageError) {
        self.init(
            subject: try row.text(0),
            username: try row.text(1),
            passwordHash: PasswordHash(stored: try row.text(2)),
            createdAt: try row.time(3),
            claims: try row.claims(4)
        )
    }
}
