// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
extension SQLiteSchema {
    /// What the operator and the login system say about users: a JSON object, or NULL for nothing.
    static let userClaims: [SQL] = [
        "ALTER TABLE users ADD COLUMN claims TEXT"
    ]
}
#endif
