// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthSystem
import SQLiteStorage

/// Reads what a SQLite file says about itself, outside the threads that must not wait.
enum SQLiteFacts {
    static func read(_ path: String, checkingPages: Bool = false) async throws -> SQLiteInspection {
        try await BlockingWork.run { try SQLiteInspection(of: path, checkingPages: checkingPages) }
    }
}
#endif
