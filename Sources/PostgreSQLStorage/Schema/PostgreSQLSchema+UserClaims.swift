// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
extension PostgreSQLSchema {
    /// What the operator and the login system say about users: a JSON object, or NULL for nothing.
    ///
    /// Programs of before leave it alone, and issue tokens without it.
    static let userClaims: [SQL] = [
        "ALTER TABLE users ADD COLUMN claims text"
    ]
}
#endif
