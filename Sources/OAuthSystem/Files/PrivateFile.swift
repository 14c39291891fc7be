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
    /// Separates the name of a file from the random part, in the name that the file has while it is written.
    private static let mark = ".new-"

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
    /// A process that is killed meanwhile leaves a file of another name, with the new content: `.NAME.new-` with six letters
    /// or digits, which ``removeLeftovers(of:)`` deletes.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - content: The new content.
    /// - Throws: ``FileError``.
    package static func replace(_ path: String, with content: [UInt8]) throws(FileError) {
        let (directory, name) = parts(of: path)
        var template = Array((directory + "." + name + mark + "XXXXXX").utf8CString)
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

    /// Deletes the files of writers of a file that were killed before the file had its name.
    ///
    /// Call it only under a lock that all writers of the file hold: the file of a writer that still runs looks the same. One
    /// that cannot be deleted stays.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - includingOldNames: Whether files with names that earlier versions gave them are deleted too; only where no user
    ///     keeps copies, see ``target(ofOldLeftover:)``.
    package static func removeLeftovers(of path: String, includingOldNames: Bool = false) {
        let (directory, name) = parts(of: path)
        for entry in DirectoryNames.all(in: directory) ?? [] {
            let isOld = includingOldNames && target(ofOldLeftover: entry) == name
            if isOld || target(ofLeftover: entry) == name { _ = try? remove(directory + entry) }
        }
    }

    /// The name that a file was to get from ``replace(_:with:)``.
    ///
    /// Copies that a user made, such as `accounts.json.backup`, do not have names of this form, and must not be deleted.
    ///
    /// - Parameter name: The name of any file.
    /// - Returns: The other name; `nil` if the name is not that of a file which was being written.
    package static func target(ofLeftover name: String) -> String? {
        // What `mkstemp` puts in place of the template: six letters and digits.
        guard name.hasPrefix("."), name.utf8.suffix(6).allSatisfy(isLetterOrDigit) else { return nil }
        let rest = name.dropFirst().dropLast(6)
        guard rest.hasSuffix(mark), rest.utf8.count > mark.utf8.count else { return nil }
        return String(rest.dropLast(mark.count))
    }

    /// The name that a file was to get from a writer of an earlier version: `NAME.` with six letters or digits.
    ///
    /// A user may give such a name to a copy, `NAME.backup`: ask only in a directory that has a name which nobody would choose,
    /// and belongs to the store alone.
    ///
    /// - Parameter name: The name of any file.
    /// - Returns: The other name; `nil` if the name does not have that form.
    package static func target(ofOldLeftover name: String) -> String? {
        guard !name.hasPrefix("."), name.utf8.suffix(6).allSatisfy(isLetterOrDigit) else { return nil }
        let rest = name.dropLast(6)
        guard rest.hasSuffix("."), rest.utf8.count > 1 else { return nil }
        return String(rest.dropLast())
    }

    /// The directory of a file, with the slash at its end: the parent of `/name` is `/`; and the name.
    private static func parts(of path: String) -> (directory: String, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return ("./", path) }
        return (String(path[...slash]), String(path[path.index(after: slash)...]))
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
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
