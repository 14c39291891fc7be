// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CPostgreSQL
import Foundation

/// Statements that a test sends itself, past the driver.
public enum PostgreSQLQuery {
    /// Sends statements over a connection of their own.
    ///
    /// - Parameters:
    ///   - sql: The statements.
    ///   - address: The database.
    /// - Returns: The first column of the last result.
    /// - Throws: ``PostgreSQLServer/Failure`` with the message of the server.
    @discardableResult
    public static func run(_ sql: String, at address: String) async throws -> [String] {
        let result: Result<[String], PostgreSQLServer.Failure> = await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: execute(sql, at: address)) }
        }
        return try result.get()
    }

    private static func execute(_ sql: String, at address: String) -> Result<[String], PostgreSQLServer.Failure> {
        let connection = unsafe PQconnectdb(address)
        defer { unsafe PQfinish(connection) }
        // No statement may hold up a test without end.
        unsafe PQclear(unsafe PQexec(connection, "SET statement_timeout = '120s'"))
        let result = unsafe PQexec(connection, sql)
        defer { unsafe PQclear(result) }
        let status = unsafe PQresultStatus(result)
        guard status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK else {
            let message = unsafe PQerrorMessage(connection).map { unsafe String(cString: $0) } ?? ""
            return .failure(PostgreSQLServer.Failure(description: message))
        }
        var values: [String] = []
        for row in unsafe 0..<PQntuples(result) {
            values.append(unsafe PQgetvalue(result, row, 0).map { unsafe String(cString: $0) } ?? "")
        }
        return .success(values)
    }
}
#endif
