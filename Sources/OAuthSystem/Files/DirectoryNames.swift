// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Lists the content of a directory.
package enum DirectoryNames {
    /// The names of all entries except `.` and `..`, unordered.
    ///
    /// May block.
    ///
    /// - Parameter path: The path of the directory.
    /// - Returns: The names; `nil` if the directory cannot be read; `errno` has the reason.
    package static func all(in path: String) -> [String]? {
        guard let directory = unsafe opendir(path) else { return nil }
        defer { unsafe closedir(directory) }
        return collect {
            // Reads the name in place: entries are shorter than their type, so a copy would read past the buffer.
            guard let entry = unsafe readdir(directory), let offset = MemoryLayout<dirent>.offset(of: \.d_name) else {
                return nil
            }
            let start = unsafe UnsafeRawPointer(entry).advanced(by: offset)
            return unsafe String(cString: start.assumingMemoryBound(to: CChar.self))
        }
    }

    /// Collects the names that a function reads one by one, without `.` and `..`.
    ///
    /// - Parameter next: Reads the next name; returns `nil` at the end of the directory, and after an error, which it
    ///   leaves in `errno`.
    /// - Returns: The names; `nil` after an error, because names may be missing then.
    package static func collect(_ next: () -> String?) -> [String]? {
        var names: [String] = []
        while true {
            // `readdir` returns null in both cases, and changes `errno` only for an error.
            errno = 0
            guard let name = next() else { return errno == 0 ? names : nil }
            if name != ".", name != ".." { names.append(name) }
        }
    }
}
