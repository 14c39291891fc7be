// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What is in a directory.
package enum DirectoryNames {
    /// The names of everything in a directory but `.` and `..`, in no order; may block.
    ///
    /// - Parameter path: The path of the directory.
    /// - Returns: The names; `nil` when the directory cannot be read, and `errno` says why.
    package static func all(in path: String) -> [String]? {
        guard let directory = unsafe opendir(path) else { return nil }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            // The name where it lies: entries are shorter than their type says, so a copy would read past the buffer.
            guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { continue }
            let start = unsafe UnsafeRawPointer(entry).advanced(by: offset)
            let name = unsafe String(cString: start.assumingMemoryBound(to: CChar.self))
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
