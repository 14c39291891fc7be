// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Glibc
import Synchronization

/// A file to which several processes may append lines; readable only by its owner.
///
/// A command of root and a server of another user may share it.
final class AppendedFile: Sendable {
    private let path: String
    private let descriptor: Mutex<CInt>

    init(_ path: String) throws {
        self.path = path
        descriptor = Mutex(try Self.open(path))
    }

    deinit {
        descriptor.withLock { _ = close($0) }
    }

    /// Appends lines.
    ///
    /// - Parameter lines: The lines, with their ends.
    /// - Returns: How many bytes of them are in the file, and why not all; `nil` if they are.
    func append(_ lines: [UInt8]) -> (count: Int, failure: CommandFailure?) {
        descriptor.withLock { OutputFile.writeMost(of: lines, to: $0, named: path) }
    }

    /// Reopens the file by its name, after the current one was renamed; if that fails, keeps the current one.
    func reopen() throws {
        let new = try Self.open(path)
        descriptor.withLock { descriptor in
            close(descriptor)
            descriptor = new
        }
    }

    private static func open(_ path: String) throws -> CInt {
        let flags = O_WRONLY | O_APPEND | O_CLOEXEC
        // A file that root makes gets the owner of its directory: a server that is another user could not write it.
        guard geteuid() == 0 else { return try accepted(unsafe Glibc.open(path, flags | O_CREAT, 0o600), path) }
        var descriptor = unsafe Glibc.open(path, flags)
        if descriptor < 0, errno == ENOENT {
            if let made = try make(path, flags) { return made }
            // Another process was faster.
            descriptor = unsafe Glibc.open(path, flags)
        }
        return try accepted(descriptor, path)
    }

    /// Makes a file that belongs to the owner of its directory.
    ///
    /// Only a file that this call made is given away, by its descriptor: its name, or what was there before, may lead to
    /// any other file. `O_EXCL` follows no link.
    ///
    /// - Returns: The open file; `nil` if there is one by now.
    private static func make(_ path: String, _ flags: CInt) throws -> CInt? {
        let directory = unsafe Glibc.open(DoctorPaths.parent(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        _ = try accepted(directory, path)
        defer { close(directory) }
        let name = path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
        let descriptor = unsafe openat(directory, name, flags | O_CREAT | O_EXCL, 0o600)
        if descriptor < 0, errno == EEXIST { return nil }
        _ = try accepted(descriptor, path)
        var status = stat()
        guard unsafe fstat(directory, &status) == 0, fchown(descriptor, status.st_uid, status.st_gid) == 0 else {
            let failure = SystemFailure.failure("cannot give \(path) to the owner of its directory")
            _ = unsafe unlinkat(directory, name, 0)
            close(descriptor)
            throw failure
        }
        return descriptor
    }

    /// A descriptor, or the error of the call that returned it.
    private static func accepted(_ descriptor: CInt, _ path: String) throws -> CInt {
        guard descriptor >= 0 else {
            let failure = SystemFailure.failure("cannot write \(path)")
            throw CommandFailure(failure.exitCode, failure.message, hints: hints(for: path))
        }
        return descriptor
    }

    private static func hints(for path: String) -> [String] {
        guard let hindrance = FileHindrance(path, isPrivate: true) else { return [] }
        var directory = stat()
        let isOwnDirectory = unsafe stat(DoctorPaths.parent(of: path), &directory) == 0 && directory.st_uid == geteuid()
        guard isOwnDirectory, hindrance.path == path, hindrance.owner == "root" else {
            return [hindrance.reason, hindrance.remedy]
        }
        // The log of a server, in which root wrote first: the server must not run as root for it.
        let user = FileHindrance.userName(geteuid())
        return [hindrance.reason, "give it to \(user): sudo chown \(user): \(path)"]
    }
}
#endif
