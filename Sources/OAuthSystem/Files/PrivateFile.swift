// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Files that only their owner may read.
///
/// Every function may block.
package enum PrivateFile {
    /// Reads a file of this user that no other user may read or change.
    ///
    /// - Parameters:
    ///   - path: The path; a link is not followed.
    ///   - maximumSize: The maximum size, in bytes; a larger file is an error.
    /// - Returns: The content; `nil` when there is no such file.
    /// - Throws: ``FileError``.
    package static func read(_ path: String, maximumSize: Int) throws(FileError) -> [UInt8]? {
        // A pipe with the name of the file must not block.
        let number = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard number >= 0 else {
            if errno == ENOENT { return nil }
            throw .system("read \(path)")
        }
        let file = FileDescriptor(number, path)
        guard PrivateDirectory.isPrivate(try file.status(), S_IFREG) else {
            throw FileError(
                "\(path) is not a file of yours that others cannot read: run chmod 600 on it if no other user can have read it"
            )
        }
        guard let content = try file.readAll(maximumCount: maximumSize) else {
            throw FileError("\(path) is longer than \(maximumSize) bytes")
        }
        return content
    }

    /// Writes a file with mode 0600 atomically: the old content is kept until the new content is on the disk.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - content: The new content.
    /// - Throws: ``FileError``.
    package static func replace(_ path: String, with content: [UInt8]) throws(FileError) {
        var template = Array((path + ".XXXXXX").utf8CString)
        let number = unsafe mkstemp(&template)
        guard number >= 0 else { throw .system("write \(path)") }
        let file = FileDescriptor(number, path)
        let temporary = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        do throws(FileError) {
            try file.writeAll(content)
            try file.synchronize()
            guard unsafe rename(temporary, path) == 0 else { throw .system("write \(path)") }
        } catch {
            _ = unsafe unlink(temporary)
            throw error
        }
        PrivateDirectory.synchronize(parentOf: path)
    }

    /// Creates an empty file with mode 0600.
    ///
    /// - Parameter path: The path.
    /// - Throws: ``FileError``, also if the name exists.
    package static func create(_ path: String) throws(FileError) {
        let number = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard number >= 0 else {
            guard errno == EEXIST else { throw .system("write \(path)") }
            throw FileError("\(path) already exists", number: EEXIST)
        }
        close(number)
    }

    /// Writes a file through to the disk, including what others wrote.
    ///
    /// - Parameter path: The path.
    /// - Throws: ``FileError``.
    package static func synchronize(_ path: String) throws(FileError) {
        let number = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { throw .system("read \(path)") }
        try FileDescriptor(number, path).synchronize()
    }

    /// Deletes a file.
    ///
    /// It is not an error if there is none.
    ///
    /// - Parameter path: The path.
    /// - Throws: ``FileError``.
    package static func delete(_ path: String) throws(FileError) {
        _ = try remove(path)
    }

    /// Deletes a file.
    ///
    /// Of several callers, in any process, only one does.
    ///
    /// - Parameter path: The path.
    /// - Returns: Whether this call deleted it; `false` when there is none.
    /// - Throws: ``FileError``.
    package static func remove(_ path: String) throws(FileError) -> Bool {
        if unsafe unlink(path) != 0 {
            if errno == ENOENT { return false }
            throw .system("delete \(path)")
        }
        PrivateDirectory.synchronize(parentOf: path)
        return true
    }

    /// Whether there is a file or directory with this name.
    ///
    /// - Parameter path: The path.
    /// - Returns: `true` if there is one, whatever its kind.
    package static func exists(_ path: String) -> Bool {
        unsafe access(path, F_OK) == 0
    }
}
