// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Files and directories that only their owner may read.
///
/// Every function may block.
package enum PrivateFile {
    /// The permission bits that must not be set: any for the group and for others.
    private static let sharedBits: mode_t = 0o077

    /// Reads a file of this user that no other user may read or change.
    ///
    /// - Parameters:
    ///   - path: The path; a link is not followed.
    ///   - maximumSize: The maximum size, in bytes; a larger file is an error.
    /// - Returns: The content; `nil` when there is no such file.
    /// - Throws: ``OAuthClientError/Code/storageFailed``.
    package static func read(_ path: String, maximumSize: Int) throws(OAuthClientError) -> [UInt8]? {
        // A pipe with the name of the file must not block.
        let descriptor = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw failure("cannot read \(path)")
        }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw failure("cannot look at \(path)") }
        guard isPrivate(status, S_IFREG) else {
            throw OAuthClientError(
                .storageFailed,
                "\(path) is not a file of yours that others cannot read: run chmod 600 on it if no other user can have read it"
            )
        }
        return try contents(of: descriptor, path, maximumSize)
    }

    /// Writes a file with mode 0600 atomically: the old content is kept until the new content is on the disk.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - content: The new content.
    /// - Throws: ``OAuthClientError/Code/storageFailed``.
    package static func replace(_ path: String, with content: [UInt8]) throws(OAuthClientError) {
        var template = Array((path + ".XXXXXX").utf8CString)
        let descriptor = unsafe mkstemp(&template)
        guard descriptor >= 0 else { throw failure("cannot write \(path)") }
        defer { close(descriptor) }
        let temporary = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        do throws(OAuthClientError) {
            try write(content, to: descriptor, path)
            guard fsync(descriptor) == 0, unsafe rename(temporary, path) == 0 else {
                throw failure("cannot write \(path)")
            }
        } catch {
            _ = unsafe unlink(temporary)
            throw error
        }
        synchronizeDirectory(of: path)
    }

    /// Deletes a file.
    ///
    /// It is not an error if there is none.
    ///
    /// - Parameter path: The path.
    /// - Throws: ``OAuthClientError/Code/storageFailed``.
    package static func delete(_ path: String) throws(OAuthClientError) {
        _ = try remove(path)
    }

    /// Deletes a file.
    ///
    /// Of several callers, in any process, only one does.
    ///
    /// - Parameter path: The path.
    /// - Returns: Whether this call deleted it; `false` when there is none.
    /// - Throws: ``OAuthClientError/Code/storageFailed``.
    static func remove(_ path: String) throws(OAuthClientError) -> Bool {
        if unsafe unlink(path) != 0 {
            if errno == ENOENT { return false }
            throw failure("cannot delete \(path)")
        }
        synchronizeDirectory(of: path)
        return true
    }

    /// Creates a directory with mode 0700, unless it exists.
    ///
    /// - Parameter path: The path.
    /// - Throws: ``OAuthClientError/Code/storageFailed``.
    package static func makeDirectory(_ path: String) throws(OAuthClientError) {
        if unsafe mkdir(path, 0o700) != 0, errno != EEXIST { throw failure("cannot make the directory \(path)") }
    }

    /// Rejects a directory that other users can write to or read, or that belongs to another user.
    ///
    /// - Parameter path: The path.
    /// - Throws: ``OAuthClientError/Code/storageFailed``.
    package static func requirePrivateDirectory(_ path: String) throws(OAuthClientError) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { throw failure("cannot look at \(path)") }
        guard isPrivate(status, S_IFDIR) else {
            throw OAuthClientError(
                .storageFailed,
                "\(path) is not a directory of yours that others cannot read: run chmod 700 on it, or choose another one"
            )
        }
    }

    /// Makes the error for a failed system call.
    static func failure(_ what: String) -> OAuthClientError {
        let reason = unsafe String(cString: strerror(errno))
        return OAuthClientError(.storageFailed, "\(what): \(reason.lowercased())")
    }

    private static func isPrivate(_ status: stat, _ kind: mode_t) -> Bool {
        status.st_mode & S_IFMT == kind && status.st_uid == geteuid() && status.st_mode & sharedBits == 0
    }

    private static func contents(
        of descriptor: CInt,
        _ path: String,
        _ maximumSize: Int
    ) throws(OAuthClientError) -> [UInt8] {
        var content: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { buffer in
                unsafe systemRead(descriptor, buffer.baseAddress, buffer.count)
            }
            if count == 0 { return content }
            if count < 0 {
                if errno == EINTR { continue }
                throw failure("cannot read \(path)")
            }
            content += buffer.prefix(count)
            guard content.count <= maximumSize else {
                throw OAuthClientError(.storageFailed, "\(path) is longer than \(maximumSize) bytes")
            }
        }
    }

    static func write(_ content: [UInt8], to descriptor: CInt, _ path: String) throws(OAuthClientError) {
        var rest = content[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe systemWrite(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                throw failure("cannot write \(path)")
            }
        }
    }

    /// So that the new name survives a power cut.
    ///
    /// If this is not possible, the file itself is still complete.
    private static func synchronizeDirectory(of path: String) {
        let parent = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        let descriptor = unsafe open(parent.isEmpty ? "/" : parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        _ = fsync(descriptor)
        close(descriptor)
    }
}

/// Aliases that the functions of ``PrivateFile`` do not shadow.
private let systemRead = unsafe read
private let systemWrite = unsafe write
