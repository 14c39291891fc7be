// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import JOSE
import KeyStoreSuite
import TestSupport
import Testing

@testable import SigningKeys

/// Where the other process of the next test is to work; not set in a normal run.
private let childDirectory = ProcessInfo.processInfo.environment["KEYBOUND_TEST_KEY_DIRECTORY"]
private let childSecret = KeyFileSecret.credential([UInt8](0..<32))

@Suite("Key stores of several processes")
struct KeyStoreProcessTests {
    @Test func `processes that start at once get one key`() async throws {
        try #require(childDirectory == nil)
        let directory = try TemporaryDirectory()
        let executable = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let children = try (0..<4).map { number in
            try ChildProcess(
                executable,
                ["--testing-library", "swift-testing", "--filter", "KeyStoreChildProcess"],
                environment: ProcessInfo.processInfo.environment.merging([
                    "KEYBOUND_TEST_KEY_DIRECTORY": directory.path, "KEYBOUND_TEST_CHILD": "\(number)",
                ]) { $1 },
                directory: directory.path
            )
        }
        for number in children.indices { try await waitForFile(directory.path + "/ready-\(number)") }
        #expect(FileManager.default.createFile(atPath: directory.path + "/go", contents: nil))
        var keys: Set<String> = []
        for number in children.indices {
            try await waitForFile(directory.path + "/done-\(number)")
            keys.insert(try String(contentsOfFile: directory.path + "/done-\(number)", encoding: .utf8))
        }
        for child in children { #expect(await child.result().status == 0) }
        #expect(keys.count == 1)
        let store = try FileKeyStoreTests.encrypted(directory.keys, childSecret)
        let made = try #require(keys.first?.split(separator: " ").map(String.init))
        #expect(made.count == 101)
        #expect(Set(made).count == 101)
        #expect(try await store.load(KeyAlias("app"))?.publicKey.thumbprint.description == made.first)
        #expect(try directory.names() == ["app.key", ".lock"])
        #expect(try await manager(in: directory.path).aliases().count == 100)
    }
}

@Suite("What the other processes do", .enabled(if: childDirectory != nil))
struct KeyStoreChildProcess {
    @Test func `makes or opens the key when told to`() async throws {
        let directory = try #require(childDirectory)
        let number = try #require(ProcessInfo.processInfo.environment["KEYBOUND_TEST_CHILD"])
        let store = try FileKeyStoreTests.encrypted(directory + "/keys", childSecret)
        #expect(FileManager.default.createFile(atPath: directory + "/ready-\(number)", contents: nil))
        try await waitForFile(directory + "/go")
        var made = [try await store.loadOrGenerate(alias: KeyAlias("app")).publicKey.thumbprint.description]
        let manager = manager(in: directory)
        for number in 0..<100 {
            let key = try await manager.loadOrGenerate(alias: KeyAlias("managed-\(number)"))
            made.append(key.publicKey.thumbprint.description)
        }
        try made.joined(separator: " ").write(
            toFile: directory + "/done-\(number)",
            atomically: true,
            encoding: .utf8
        )
    }
}

/// A manager of a device that is away, and of files; each process has one.
private func manager(in directory: String) -> KeyManager {
    let device = FaultyKeyStore()
    device.fail(with: .deviceUnavailable)
    return KeyManager(
        hardware: [KeyLocation("device", device)],
        software: KeyLocation("file", UnencryptedFileKeyStore(directory: directory + "/managed")),
        placements: FileKeyLocationStore(directory: directory + "/managed")
    )
}

/// Waits, for five minutes at most, until a file is there.
func waitForFile(_ path: String) async throws {
    for _ in 0..<150_000 {
        if FileManager.default.fileExists(atPath: path) { return }
        try await Task.sleep(for: .milliseconds(2))
    }
    Issue.record("no file \(path) after five minutes")
}
#endif
