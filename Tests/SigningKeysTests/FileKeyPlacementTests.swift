// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import JOSE
import KeyStoreSuite
import Testing

@testable import SigningKeys

@Suite("Records of the places of keys, in files")
struct FileKeyPlacementTests {
    private let directory: TemporaryDirectory
    private let alias: KeyAlias

    init() throws {
        directory = try TemporaryDirectory()
        alias = try KeyAlias("app")
    }

    private func manager(_ hardware: FaultyKeyStore) -> KeyManager {
        KeyManager(
            hardware: [KeyLocation("device", hardware)],
            software: KeyLocation("file", UnencryptedFileKeyStore(directory: directory.keys)),
            placements: FileKeyLocationStore(directory: directory.keys)
        )
    }

    @Test(arguments: [true, false])
    func `managers of several processes keep the promises of a key store`(hasHardware: Bool) async throws {
        let hardware = FaultyKeyStore(claiming: .hardwareBound)
        if !hasHardware { hardware.fail(with: .deviceUnavailable) }
        let protection: KeyProtection = hasHardware ? .hardwareBound : .unencryptedFile
        try await KeyStoreBehaviour(manager(hardware), protection: protection) { manager(hardware) }.check()
    }

    @Test func `a record outlives the process, and knows only its own name`() async throws {
        let store = FileKeyLocationStore(directory: directory.keys)
        #expect(try await store.place(of: alias) == nil)
        #expect(try await store.aliases() == [])
        try await store.record("tpm", of: alias)
        let other = FileKeyLocationStore(directory: directory.keys)
        #expect(try await other.place(of: alias) == "tpm")
        #expect(try await other.aliases() == [alias])
        #expect(await failure { try await other.record("file", of: alias) } == .storageFailed)
        try FileManager.default.moveItem(atPath: directory.file("app.place"), toPath: directory.file("b.place"))
        #expect(await failure { _ = try await other.place(of: KeyAlias("b")) } == .malformedKeyFile)
        try await other.forget(KeyAlias("b"))
        #expect(try await store.aliases() == [])
    }

    @Test func `a key store does not remove a record that is being written, and only a record removes old ones`()
        async throws
    {
        let keys = UnencryptedFileKeyStore(directory: directory.keys)
        let records = FileKeyLocationStore(directory: directory.keys)
        try directory.write([1], to: ".place-new-1-2-3")
        try directory.write([1], to: ".new-1-2-3")
        try await records.record("file", of: alias)
        #expect(try directory.names() == ["app.place", ".new-1-2-3"])
        try directory.write([1], to: ".place-new-1-2-3")
        _ = try await keys.loadOrGenerate(alias: alias)
        try await keys.delete(alias)
        #expect(try directory.names() == ["app.place", ".place-new-1-2-3", ".lock"])
    }

    @Test func `a damaged record is no reason to make a key`() async throws {
        let hardware = FaultyKeyStore(claiming: .hardwareBound)
        _ = try await manager(hardware).loadOrGenerate(alias: alias)
        let whole = try directory.contents("app.place")
        for damaged in [
            Array(whole.dropLast(4)), Array("{}".utf8), whole.map { $0 == UInt8(ascii: "1") ? 0x32 : $0 }, [],
        ] {
            try directory.write(damaged, to: "app.place")
            let code = await failure { _ = try await manager(hardware).loadOrGenerate(alias: alias) }
            #expect(code == .malformedKeyFile)
        }
        #expect(hardware.generatedCount == 1)
    }

    @Test func `who waits for the records for too long is told`() async throws {
        let patient = FileKeyLocationStore(directory: directory.keys)
        let impatient = FileKeyLocationStore(directory: directory.keys, timeout: .milliseconds(20))
        let code = try await patient.withLock { () async throws(KeyStoreError) in
            await failure { try await impatient.withLock { () async throws(KeyStoreError) in } }
        }
        #expect(code == .storageFailed)
    }
}
#endif
