// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

enum DirectoryListing {
    /// The names in ascending order, without hidden ones; empty if there is no such directory.
    static func names(in path: String) throws -> [String] {
        guard let directory = unsafe opendir(path) else {
            if errno == ENOENT { return [] }
            throw SystemFailure.failure("cannot read the directory \(path)")
        }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            // Read in place: entries are shorter than their type, so a copy would read past the buffer.
            guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { continue }
            let start = unsafe UnsafeRawPointer(entry).advanced(by: offset)
            let name = unsafe String(cString: start.assumingMemoryBound(to: CChar.self))
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }
}
