// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import ServerStorage

extension PostgreSQLConnection {
    /// The settings of the database that are off, and with which a crash may lose what was answered.
    func lossySettings() throws(StorageError) -> [String] {
        let found = try row(
            """
            SELECT coalesce(string_agg(name, ',' ORDER BY name), '') FROM pg_settings
            WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off'
            """
        ) { row throws(StorageError) in try row.text(0) }
        return (found ?? "").split(separator: ",").map(String.init)
    }
}
#endif
