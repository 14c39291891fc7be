// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthSystem

extension DoctorCheck {
    /// A day, and two hours for a timer that runs late.
    private static let longestBackupAge: Int64 = 26 * 3600

    /// When the last copy of the database was made, where `keybound-backup.timer` puts them.
    static let backup = DoctorCheck(.database, "backup") { context in
        guard let file = try context.databaseFile else { return [] }
        let directory = DoctorPaths.parent(of: file) + "/backups"
        let shown = SafeText.of(directory)
        guard let newest = try NewestFile.changeTime(in: directory) else {
            return [
                .note(
                    "there is no copy of the database in \(shown)",
                    "systemctl enable --now keybound-backup.timer, or make copies elsewhere with keybound db backup"
                )
            ]
        }
        let age = context.clock.now().secondsSince1970 - newest
        guard age <= longestBackupAge else {
            return [
                .warning(
                    "the last copy of the database in \(shown) is \(age / 3600) hours old",
                    "systemctl status keybound-backup.timer keybound-backup.service"
                )
            ]
        }
        return [.good("the last copy of the database in \(shown) is \(max(age, 0) / 3600) hours old")]
    }
}
#endif
