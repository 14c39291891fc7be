// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
extension SQLiteSchema {
    /// What tells whether a grant is in force that a client has for itself and that is not stored.
    static let ownGrants: [SQL] = [
        "ALTER TABLE clients ADD COLUMN registration_id TEXT",
        "ALTER TABLE clients ADD COLUMN own_grant_revocations INTEGER NOT NULL DEFAULT 0",
        "UPDATE clients SET registration_id = lower(hex(randomblob(16)))",
        "CREATE UNIQUE INDEX clients_by_registration ON clients (registration_id)",
    ]
}
#endif
