// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
extension SQLiteSchema {
    /// What clients may exchange tokens for, and which grant another one came from.
    static let tokenExchange: [SQL] = [
        "ALTER TABLE clients ADD COLUMN token_exchange_rights TEXT NOT NULL DEFAULT '[]'",
        "ALTER TABLE grants ADD COLUMN parent_id TEXT",
    ]
}
#endif
