// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
extension SQLiteSchema {
    /// Where the keys of clients are whose metadata documents name a key set.
    static let clientKeySets: [SQL] = [
        "ALTER TABLE clients ADD COLUMN jwks_uri TEXT"
    ]
}
#endif
