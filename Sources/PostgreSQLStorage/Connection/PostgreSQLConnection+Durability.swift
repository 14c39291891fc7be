// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import ServerStorage

extension PostgreSQLConnection {
    /// The settings of the database that are not on, and with which a crash may lose what was answered.
    ///
    /// `synchronous_commit = local` waits for the disk of this server, and not for a standby.
    func lossySettings() throws(StorageError) -> [String] {
        let found = try row(
            """
            SELECT coalesce(string_agg(name, ',' ORDER BY name), '') FROM pg_settings
            WHERE (name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off')
                OR (name = 'synchronous_commit' AND setting = 'local')
            """
        ) { row throws(StorageError) in try row.text(0) }
        return (found ?? "").split(separator: ",").map(String.init)
    }
}
#endif
