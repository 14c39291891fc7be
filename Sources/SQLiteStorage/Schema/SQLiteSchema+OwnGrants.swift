// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
extension SQLiteSchema {
    /// The revocation state of client credentials grants, which are not stored themselves.
    static let ownGrants: [SQL] = [
        "ALTER TABLE clients ADD COLUMN registration_id TEXT",
        "ALTER TABLE clients ADD COLUMN own_grant_revocations INTEGER NOT NULL DEFAULT 0",
        "UPDATE clients SET registration_id = lower(hex(randomblob(16)))",
        "CREATE UNIQUE INDEX clients_by_registration ON clients (registration_id)",
    ]
}
#endif
