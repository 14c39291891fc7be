// SPDX-License-Identifier: Apache-2.0

import OAuthCore

extension StoredRegistrationToken {
    /// Its values, in the order in which they are inserted and read.
    package var storedValues: [StoredValue] {
        [
            .hash(tokenHash),
            .count(usesLeft),
            .time(expiresAt),
            .optional(policy.scope?.description),
            .flag(policy.allowsBearerTokens),
        ]
    }

    /// Reads a token.
    ///
    /// - Parameter row: A row of `registration_tokens`.
    /// - Throws: ``StorageError/Code/corrupted``.
    package init(row: some StoredRow) throws(StorageError) {
        self.init(
            tokenHash: try row.hash(0),
            usesLeft: try row.count(1),
            expiresAt: try row.time(2),
            policy: try RegistrationTokenPolicy(row: row, from: 3)
        )
    }
}

extension RegistrationTokenPolicy {
    /// Reads a policy from the columns `scope` and `allows_bearer`.
    ///
    /// - Parameters:
    ///   - row: A row of `registration_tokens`.
    ///   - column: The number of the first one.
    /// - Throws: ``StorageError/Code/corrupted``.
    package init(row: some StoredRow, from column: Int32 = 0) throws(StorageError) {
        self.init(
            scope: row.isNull(column) ? nil : try row.scope(column),
            allowsBearerTokens: try row.flag(column + 1)
        )
    }
}
