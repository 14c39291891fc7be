// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A directory that is removed when its owner goes.
final class TemporaryDirectory: Sendable {
    /// The directory itself.
    let path: String

    /// Makes a directory in memory, for what writes through to the disk all the time; elsewhere where there is no such place.
    convenience init(inMemory: Void) throws {
        let memory = "/dev/shm/"
        let isThere = FileManager.default.isWritableFile(atPath: memory)
        try self.init(in: isThere ? memory : NSTemporaryDirectory())
    }

    init(in parent: String = NSTemporaryDirectory()) throws {
        path = parent + "keybound-test-" + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The place of a key store, which the store is to make itself.
    var keys: String { path + "/keys" }

    func file(_ name: String) -> String { keys + "/" + name }

    func contents(_ name: String) throws -> [UInt8] {
        try [UInt8](Data(contentsOf: URL(fileURLWithPath: file(name))))
    }

    /// Writes a file that only its owner may read.
    func write(_ bytes: [UInt8], to name: String, mode: Int = 0o600) throws {
        if !FileManager.default.fileExists(atPath: keys) {
            try FileManager.default.createDirectory(
                atPath: keys,
                withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700]
            )
        }
        try? FileManager.default.removeItem(atPath: file(name))
        guard
            FileManager.default.createFile(
                atPath: file(name),
                contents: Data(bytes),
                attributes: [.posixPermissions: mode]
            )
        else { throw CocoaError(.fileWriteUnknown) }
        try setMode(mode, of: file(name))
    }

    func setMode(_ mode: Int, of path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    func mode(of path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? -1
    }

    func names() throws -> Set<String> {
        try Set(FileManager.default.contentsOfDirectory(atPath: keys))
    }
}
