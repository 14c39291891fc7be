// SPDX-License-Identifier: Apache-2.0

import PostgreSQLServer

@testable import PostgreSQLStorage

/// A role of the test server with the rights that ``PostgreSQLRights`` names, and no others.
enum PostgreSQLLeastRole {
    /// Grants the role its rights in a database of the tests.
    ///
    /// - Parameter superuser: The address of the database, as the superuser.
    /// - Returns: Its address, as this role.
    /// - Throws: `PostgreSQLServer.Failure`.
    static func address(of superuser: String) async throws -> String {
        let grants = PostgreSQLRights.needed.map { table, rights in
            "GRANT \(rights.joined(separator: ", ")) ON keybound.\(table) TO least;"
        }
        // The roles belong to the whole server, and other tests make this one at the same time.
        try await PostgreSQLQuery.run(
            """
            DO $$ BEGIN
                CREATE ROLE least LOGIN;
            EXCEPTION WHEN duplicate_object OR unique_violation THEN
            END $$;
            REVOKE ALL ON ALL TABLES IN SCHEMA keybound FROM least;
            GRANT USAGE ON SCHEMA keybound TO least;
            \(grants.joined(separator: "\n"))
            """,
            at: superuser
        )
        return superuser.replacing("postgres@", with: "least@")
    }
}
