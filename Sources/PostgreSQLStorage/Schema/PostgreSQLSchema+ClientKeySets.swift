// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
extension PostgreSQLSchema {
    /// Where the keys of clients are whose metadata documents name a key set.
    ///
    /// Programs of before find no keys of such a client, and reject it.
    static let clientKeySets: [SQL] = [
        "ALTER TABLE clients ADD COLUMN jwks_uri text"
    ]
}
#endif
