// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import Glibc
import TestSupport
import Testing

@testable import KeyboundCommand

/// A server that is not root writes its audit log, and so do the commands of root beside it.
@Suite("Files that root makes belong to the owner of their directory", .enabled(if: geteuid() == 0))
struct AppendedFileTests {
    /// A user that every Debian has.
    private static let nobody: uid_t = 65_534

    private let directory: TemporaryDirectory
    private var log: String { directory.path + "/logs/audit.log" }

    init() throws {
        directory = try TemporaryDirectory()
        let logs = directory.path + "/logs"
        try FileManager.default.createDirectory(atPath: logs, withIntermediateDirectories: false)
        guard unsafe chown(logs, Self.nobody, Self.nobody) == 0 else { throw POSIXError(.EPERM) }
    }

    private func status(of path: String) throws -> stat {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { throw POSIXError(.ENOENT) }
        return status
    }

    @Test func `a new file is given away, and an existing one is left alone`() throws {
        let file = try AppendedFile(log)
        #expect(file.append(Array("a\n".utf8)).failure == nil)
        let made = try status(of: log)
        #expect(made.st_uid == Self.nobody && made.st_gid == Self.nobody && made.st_mode & 0o777 == 0o600)
        try FileManager.default.moveItem(atPath: log, toPath: log + ".1")
        try file.reopen()
        #expect(try status(of: log).st_uid == Self.nobody)

        try directory.write("there\n", to: "logs/mine.log")
        let mine = directory.path + "/logs/mine.log"
        #expect(try AppendedFile(mine).append(Array("b\n".utf8)).failure == nil)
        #expect(try status(of: mine).st_uid == 0)
        #expect(try directory.text(of: "logs/mine.log") == "there\nb\n")
    }

    @Test func `the owner of the directory gets no file through a link`() throws {
        let target = directory.path + "/target"
        try FileManager.default.createSymbolicLink(atPath: log, withDestinationPath: target)
        #expect(throws: CommandFailure.self) { try AppendedFile(log) }
        #expect(!FileManager.default.fileExists(atPath: target))
        // A link to a file that is there is followed, as one to /dev/stdout, and the file keeps its owner.
        try directory.write("", to: "target")
        #expect(try AppendedFile(log).append(Array("a\n".utf8)).failure == nil)
        #expect(try status(of: target).st_uid == 0)
    }
}
#endif
