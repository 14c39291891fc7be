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
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            // Reads the name in place: entries are shorter than their type, so a copy would read past the buffer.
            guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { continue }
            let start = unsafe UnsafeRawPointer(entry).advanced(by: offset)
            let name = unsafe String(cString: start.assumingMemoryBound(to: CChar.self))
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
