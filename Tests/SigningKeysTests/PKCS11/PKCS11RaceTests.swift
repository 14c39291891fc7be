// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import JOSE
import Testing

@testable import SigningKeys

@Suite("Processes that make the same keys in a token", .enabled(if: TokenStage.isPrepared))
struct PKCS11RaceTests {
    @Test func `two processes that make 100 keys at once come to the same ones`() async throws {
        _ = try await KeyStoreRaceTests.race(.token, TemporaryDirectory(), "race", count: 100)
        try await checkKeys("race", count: 100)
    }

    /// In one process and through the module that does one thing at a time: processes see old states of SoftHSM.
    @Test func `machines that do not see each other's locks come to the same keys`() async throws {
        let module = try FaultyModule()
        let stores = try (0..<3).map { number in
            try TokenStage.store("machines", module: module.path, lock: "machine-\(number)")
        }
        for number in 0..<20 {
            let alias = try KeyAlias("key-\(number)")
            let thumbprints = try await withThrowingTaskGroup(of: JWKThumbprint.self) { group in
                for store in stores {
                    group.addTask { try await store.loadOrGenerate(alias: alias).publicKey.thumbprint }
                }
                return try await group.reduce(into: Set<JWKThumbprint>()) { $0.insert($1) }
            }
            #expect(thumbprints.count == 1)
        }
        try await checkKeys("machines", count: 20)
    }

    private func checkKeys(_ token: String, count: Int) async throws {
        let listed = try await TokenStage.tool(token, ["--list-objects"])
        #expect(listed.split(separator: "\n").count { $0.hasPrefix("Private Key Object") } == count)
        #expect(listed.split(separator: "\n").count { $0.hasPrefix("Public Key Object") } == count)
        #expect(!listed.contains("~new"))
    }

    @Test func `a candidate of one that ended in the middle is cleared away, that of a stranger is waited for`()
        async throws
    {
        let alias = try KeyAlias("key")
        let store = try TokenStage.store("leftover", lock: "leftover-lock", timeout: .milliseconds(100))
        _ = try await store.loadOrGenerate(alias: KeyAlias("other"))
        let domain = try Data(
            contentsOf: URL(fileURLWithPath: try #require(TokenStage.directory) + "/leftover-lock/domain")
        )
        // "ES256:", whose lock, and the rest.
        let ours = Array("ES256:".utf8) + domain + [1]
        let theirs = Array("ES256:".utf8) + [UInt8](repeating: 0, count: 8) + [1]
        let session = try Self.writableSession("leftover")
        let label = Array("key~new".utf8)
        _ = try session.generateKeyPair(.es256, label: label, id: ours)
        let stranger = try session.generateKeyPair(.es256, label: label, id: theirs)
        let error = await #expect(throws: KeyStoreError.self) { _ = try await store.loadOrGenerate(alias: alias) }
        #expect(error?.code == .deviceFailed)
        #expect(error?.reason.hasPrefix("another machine makes a key of that name") == true, "\(error as Any)")
        let listed = try await TokenStage.tool("leftover", ["--list-objects"])
        #expect(!listed.contains(Self.hex(ours)))
        #expect(listed.contains(Self.hex(theirs)))
        #expect(try await store.load(alias) == nil)
        try session.destroy(stranger.privateKey)
        _ = try await store.loadOrGenerate(alias: alias)
    }

    @Test func `a half of a key that the token does not show yet is waited for, not longer than timeout lasts`()
        async throws
    {
        let (alias, label) = (try KeyAlias("late"), Array("late".utf8))
        let session = try Self.writableSession("shown")
        // Halves without an identifier are known by their label.
        let pair = try session.generateKeyPair(.es256, label: label, id: [])
        try session.setLabel(Array("hidden".utf8), of: pair.publicKey)
        let module = try FaultyModule()
        let store = try TokenStage.store("shown", module: module.path, lock: "shown-lock")
        let found = Task { try await store.loadOrGenerate(alias: alias) }
        // The second one is there to make the key, as nothing was found.
        for _ in 0..<10_000 where try module.calls("C_OpenSession") < 2 { try await Task.sleep(for: .milliseconds(1)) }
        try await Task.sleep(for: .milliseconds(50))
        try session.setLabel(label, of: pair.publicKey)
        let key = try await found.value
        #expect(try await key.works())
        #expect(try module.calls("C_GenerateKeyPair") == 0)
        try session.setLabel(Array("hidden".utf8), of: pair.publicKey)
        let impatient = try TokenStage.store("shown", lock: "shown-lock", timeout: .milliseconds(100))
        let error = await #expect(throws: KeyStoreError.self) { _ = try await impatient.loadOrGenerate(alias: alias) }
        #expect(error?.isHiddenHalf == true, "\(error as Any)")
    }

    /// Of this process: what another one does in a token of SoftHSM, this one sees late at times.
    private static func writableSession(_ label: String) throws -> PKCS11Session {
        let login = PKCS11Login(.bytes(Array(TokenStage.pin.utf8)), mayUseLastAttempt: false)
        let token = PKCS11Token(
            modulePath: TokenStage.module,
            selection: PKCS11TokenSelection(label: label),
            login: login,
            lockDirectory: try #require(TokenStage.directory) + "/lock"
        )
        let session = try token.openSession()
        return try PKCS11Session(session.module, slot: session.slot, isWritable: true)
    }

    private static func hex(_ octets: [UInt8]) -> String {
        octets.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}
#endif
