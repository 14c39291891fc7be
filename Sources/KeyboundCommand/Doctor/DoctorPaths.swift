// SPDX-License-Identifier: Apache-2.0

/// Names of directories, for the checks.
enum DoctorPaths {
    /// The directory of a file, or the nearest one above it that exists.
    static func nearestDirectory(of file: String) -> String {
        var path = parent(of: file)
        while !InputFile.exists(at: path), path != "/", path != "." { path = parent(of: path) }
        return path
    }

    /// The directory that a path names a file in.
    static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
