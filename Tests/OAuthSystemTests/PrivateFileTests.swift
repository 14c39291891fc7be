// SPDX-License-Identifier: Apache-2.0

import Foundation
import OAuthSystem
import Testing

@Suite("Files and directories that only their owner may read")
struct PrivateFileTests {
    private let manager = FileManager.default

    private func withDirectory(_ body: (String) throws -> Void) throws {
        let path = manager.temporaryDirectory.path + "/keybound-private-" + UUID().uuidString
        try PrivateDirectory.make(at: path)
        defer { try? manager.removeItem(atPath: path) }
        try body(path)
    }

    private func mode(_ path: String) throws -> Int? {
        try manager.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    private func setMode(_ mode: Int, _ path: String) throws {
        try manager.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    private func error(_ body: () throws(FileError) -> Void) -> FileError? {
        do throws(FileError) {
            try body()
            return nil
        } catch {
            return error
        }
    }

    @Test func `a file is written whole, with mode 0600, and read again`() throws {
        try withDirectory { directory in
            let path = directory + "/file"
            #expect(try PrivateFile.read(path, maximumSize: 10) == nil)
            try PrivateFile.replace(path, with: [1, 2])
            try PrivateFile.replace(path, with: [3, 4, 5])
            #expect(try PrivateFile.read(path, maximumSize: 3) == [3, 4, 5])
            #expect(try mode(path) == 0o600)
            #expect(try manager.contentsOfDirectory(atPath: directory) == ["file"])
            let tooLong = error { () throws(FileError) in _ = try PrivateFile.read(path, maximumSize: 2) }
            #expect(tooLong?.number == nil && tooLong?.reason == "\(path) is longer than 2 bytes")
        }
    }

    @Test(arguments: [0o604, 0o640, 0o602, 0o610]) func `a file that others may use is not read`(_ mode: Int) throws {
        try withDirectory { directory in
            let path = directory + "/file"
            try PrivateFile.replace(path, with: [1])
            try setMode(mode, path)
            let error = error { () throws(FileError) in _ = try PrivateFile.read(path, maximumSize: 10) }
            #expect(error?.reason.contains("chmod 600") == true)
        }
    }

    @Test func `neither a link nor a directory is read`() throws {
        try withDirectory { directory in
            try PrivateFile.replace(directory + "/file", with: [1])
            try manager.createSymbolicLink(atPath: directory + "/link", withDestinationPath: directory + "/file")
            let link = error { () throws(FileError) in _ = try PrivateFile.read(directory + "/link", maximumSize: 10) }
            #expect(link?.number != nil)
            #expect(link?.reason.hasPrefix("cannot read \(directory)/link: ") == true)
            #expect(throws: FileError.self) { try PrivateFile.read(directory, maximumSize: 10) }
        }
    }

    @Test func `what cannot be replaced leaves nothing behind`() throws {
        try withDirectory { directory in
            try PrivateDirectory.make(at: directory + "/name")
            #expect(throws: FileError.self) { try PrivateFile.replace(directory + "/name", with: [1]) }
            #expect(try manager.contentsOfDirectory(atPath: directory) == ["name"])
        }
    }

    @Test func `what a killed writer of a file left is deleted, and no other file`() throws {
        try withDirectory { directory in
            let others = [
                // What a user may call a copy of the file.
                "file.backup", "file.260101", ".file.backup", "file.new-backup",
                "file", "file.lock", ".file.new-a1B2c3d", ".file.new-a1B2c", ".other.new-a1B2c3", ".new-a1B2c3",
            ]
            for name in others + [".file.new-a1B2c3", ".file.new-ZZZZZZ"] {
                try PrivateFile.create(directory + "/" + name)
            }
            try PrivateDirectory.make(at: directory + "/.file.new-000000")
            PrivateFile.removeLeftovers(of: directory + "/file")
            let left = Set(try manager.contentsOfDirectory(atPath: directory))
            #expect(left == Set(others + [".file.new-000000"]))
            // Earlier versions gave them names like those of copies: only a store that knows better asks for these.
            PrivateFile.removeLeftovers(of: directory + "/file", includingOldNames: true)
            let rest = Set(try manager.contentsOfDirectory(atPath: directory))
            #expect(rest == left.subtracting(["file.backup", "file.260101"]))
            PrivateFile.removeLeftovers(of: directory + "/missing/file")
            #expect(PrivateFile.target(ofLeftover: "..file.new-a1B2c3") == ".file")
            #expect(PrivateFile.target(ofOldLeftover: "file.json.a1B2c3") == "file.json")
            for name in ["file.json.a1B2c", "file.json.a1B2-3", "filea1B2c3", "a1B2c3", ".a1B2c3", ".file.a1B2c3", ""] {
                #expect(PrivateFile.target(ofOldLeftover: name) == nil, "\(name)")
            }
        }
    }

    @Test func `a new file is new, and of those that delete it one did`() throws {
        try withDirectory { directory in
            let path = directory + "/file"
            try PrivateFile.create(path)
            #expect(try mode(path) == 0o600)
            let taken = error { () throws(FileError) in try PrivateFile.create(path) }
            #expect(taken?.reason == "\(path) already exists" && taken?.isOfTakenName == true)
            try PrivateFile.synchronize(path)
            #expect(PrivateFile.exists(path))
            #expect(try PrivateFile.remove(path))
            #expect(try !PrivateFile.remove(path))
            #expect(!PrivateFile.exists(path))
            #expect(throws: FileError.self) { try PrivateFile.synchronize(path) }
        }
    }

    @Test func `a directory is made with its parents, and only a private one is accepted`() throws {
        try withDirectory { directory in
            let path = directory + "/one/two"
            try PrivateDirectory.makeWithParents(at: path)
            try PrivateDirectory.makeWithParents(at: path)
            #expect(try mode(path) == 0o700)
            try PrivateDirectory.requirePrivate(path)
            try setMode(0o750, path)
            let open = error { () throws(FileError) in try PrivateDirectory.requirePrivate(path) }
            #expect(open?.reason.contains("chmod 700") == true)
            PrivateDirectory.removeEmpty(directory + "/one")
            #expect(PrivateFile.exists(path))
            PrivateDirectory.removeEmpty(path)
            #expect(!PrivateFile.exists(path))
            let missing = error { () throws(FileError) in try PrivateDirectory.make(at: path + "/three") }
            #expect(missing?.number != nil)
        }
    }

    @Test(.timeLimit(.minutes(1))) func `a lock that cannot be opened says so, one that is held is waited for`()
        async throws
    {
        let path = manager.temporaryDirectory.path + "/keybound-lock-" + UUID().uuidString
        defer { try? manager.removeItem(atPath: path) }
        let held = try await FileLock(path, timeout: .zero)
        await #expect(throws: FileError.self) { try await FileLock(path, timeout: .zero) }
        withExtendedLifetime(held) {}
        await #expect(throws: FileError.self) { try await FileLock(path + "/missing/lock", timeout: .zero) }
    }
}
