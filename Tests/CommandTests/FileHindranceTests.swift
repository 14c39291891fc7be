// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import TestSupport
import Testing

@testable import KeyboundCommand

/// Root may do what others may not, so each finds another file of somebody else.
@Suite("A command of the wrong user says which one is the right one")
struct FileHindranceTests {
    /// A user that every Debian has, and that owns no file.
    private static let nobody: uid_t = 65_534
    private static var isRoot: Bool { geteuid() == 0 }

    /// A file of another user, which this one must not use.
    private func foreignFile(_ directory: TemporaryDirectory) throws -> (path: String, owner: String) {
        guard Self.isRoot else { return ("/etc/shadow", "root") }
        try directory.write("a", to: "foreign")
        let path = directory.path + "/foreign"
        guard unsafe chown(path, Self.nobody, gid_t.max) == 0 else { throw POSIXError(.EPERM) }
        return (path, FileHindrance.userName(Self.nobody))
    }

    @Test func `a file of another user is in the way, one's own and a missing one are not`() throws {
        let directory = try TemporaryDirectory()
        let (path, owner) = try foreignFile(directory)
        let hindrance = try #require(FileHindrance(path, isPrivate: true))
        #expect(hindrance.path == path && hindrance.owner == owner)
        #expect(hindrance.reason == "\(path) belongs to \(owner), and this is \(FileHindrance.userName(geteuid()))")
        #expect(hindrance.remedy.contains(owner == "root" ? ": sudo " : ": sudo -u \(owner) keybound ..."))
        try directory.write("a", to: "mine")
        #expect(FileHindrance(directory.path + "/mine", isPrivate: true) == nil)
        #expect(FileHindrance(directory.path + "/missing", isPrivate: true) == nil)
        #expect(FileHindrance(directory.path + "/missing/file", isPrivate: true) == nil)
    }

    @Test func `the directories above a file, from the root and from here`() {
        #expect(FileHindrance.directories(above: "/etc/keybound/key") == ["/", "/etc", "/etc/keybound"])
        #expect(FileHindrance.directories(above: "data/key") == [".", "./data"])
        #expect(FileHindrance.directories(above: "key") == ["."])
        #expect(FileHindrance.userName(0) == "root" && FileHindrance.userName(4_000_000_123) == "#4000000123")
    }

    @Test func `an operator is told for the database, and nothing is made beside it`() async throws {
        let directory = try TemporaryDirectory()
        let (path, owner) = try foreignFile(directory)
        let listed = try await KeyboundProcess.run(
            ["grant", "list", "ada", "--database", path, "--data-directory", directory.path + "/data"],
            in: directory,
            environment: ["KEYBOUND_AUDIT_LOG": directory.path + "/audit.log"]
        )
        #expect(listed.status == 3)
        #expect(listed.errors.contains("cannot use the database \(path): \(path) belongs to \(owner)"))
        #expect(listed.errors.contains("hint: run the command as "), "\(listed.errors)")
        #expect(!FileManager.default.fileExists(atPath: directory.path + "/data"))
        #expect(!FileManager.default.fileExists(atPath: directory.path + "/audit.log"))
    }

    @Test func `and for the credential`() async throws {
        let directory = try TemporaryDirectory()
        let (path, owner) = try foreignFile(directory)
        let checked = try await KeyboundProcess.run(
            ["serve", "--check", "--issuer", "https://auth.example.com", "--key-credential-file", path],
            in: directory
        )
        guard Self.isRoot else {
            // What root owns is accepted by its mode: the configuration of a server may be checked before it is the server.
            #expect(checked.status == 0, Comment(rawValue: checked.errors))
            #expect(!checked.errors.contains("belongs to"), Comment(rawValue: checked.errors))
            return
        }
        #expect(checked.status == 5)
        #expect(checked.errors.contains("--key-credential-file: cannot use \(path): \(path) belongs to \(owner)"))
        #expect(checked.errors.contains("sudo -u \(owner) keybound"), "\(checked.errors)")
    }
}
#endif
