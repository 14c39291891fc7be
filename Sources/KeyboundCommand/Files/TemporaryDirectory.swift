// SPDX-License-Identifier: Apache-2.0

import OAuthSystem

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A directory for what is gone with the command.
enum TemporaryDirectory {
    /// Makes a new directory with mode 0700 where temporary files go: in `TMPDIR`, or else in `/tmp`.
    ///
    /// - Parameter prefix: What its name begins with.
    /// - Returns: Its path.
    /// - Throws: ``CommandFailure``.
    static func make(prefix: String) throws -> String {
        let place = ProcessEnvironment.value("TMPDIR") ?? "/tmp"
        let parent = place.hasSuffix("/") ? place : place + "/"
        var template = Array((parent + prefix + "XXXXXX").utf8CString)
        guard unsafe mkdtemp(&template) != nil else {
            throw SystemFailure.failure("cannot make a directory in \(place)")
        }
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        ProcessEnd.remove(path)
        return path
    }

    /// Removes a directory with everything in it, as far as that can be done; links are removed, not followed.
    static func remove(_ path: String) {
        delete(path)
        ProcessEnd.forget(path)
    }

    /// The same at the end of the process.
    static func delete(_ path: String) {
        for name in DirectoryNames.all(in: path) ?? [] {
            let entry = path + "/" + name
            var status = stat()
            if unsafe lstat(entry, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
                delete(entry)
            } else {
                _ = unsafe unlink(entry)
            }
        }
        _ = unsafe rmdir(path)
    }
}
