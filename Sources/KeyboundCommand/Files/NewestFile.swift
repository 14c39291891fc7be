// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Glibc
import OAuthSystem

/// Finds out when something was last written to a directory.
enum NewestFile {
    /// When the newest regular file with content was changed, in seconds since 1970.
    ///
    /// - Parameter directory: The path of the directory; its own directories do not count.
    /// - Returns: The time; `nil` if there is no such file, or the directory cannot be read.
    /// - Throws: ``/OAuthSystem/FileError`` if a file cannot be looked at.
    static func changeTime(in directory: String) throws -> Int64? {
        try (DirectoryNames.all(in: directory) ?? [])
            .compactMap { try FileAccess.status(of: "\(directory)/\($0)") }
            .filter { $0.st_mode & S_IFMT == S_IFREG && $0.st_size > 0 }
            .map { Int64($0.st_mtim.tv_sec) }
            .max()
    }
}
#endif
