// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
extension SQLiteSchema {
    /// The token exchange rights of clients, and the parent of a grant.
    static let tokenExchange: [SQL] = [
        "ALTER TABLE clients ADD COLUMN token_exchange_rights TEXT NOT NULL DEFAULT '[]'",
        "ALTER TABLE grants ADD COLUMN parent_id TEXT",
    ]
}
#endif
