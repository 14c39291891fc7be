// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
extension SQLiteSchema {
    /// When clients that no operator registered are forgotten, and until when their metadata documents hold.
    static let clientLives: [SQL] = [
        "ALTER TABLE clients ADD COLUMN expires_at INTEGER",
        "ALTER TABLE clients ADD COLUMN document_expires_at INTEGER",
        "CREATE INDEX clients_by_end ON clients (expires_at) WHERE expires_at IS NOT NULL",
    ]
}
#endif
