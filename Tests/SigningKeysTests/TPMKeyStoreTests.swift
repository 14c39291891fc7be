// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import JOSE
import KeyStoreSuite
import TestSupport
import Testing

@testable import SigningKeys

@Suite("Keys of a TPM")
struct TPMKeyStoreTests {
    @Test(arguments: [Duration.zero, .seconds(10)])
    func `keeps the promises of a key store`(idleTime: Duration) async throws {
        let fixture = try await TPMFixture()
        let second: @Sendable () throws -> any KeyStore = { try fixture.store() }
        // A TPM without a resource manager has no room for what several stores keep.
        try await KeyStoreBehaviour(
            fixture.store(idleTime: idleTime),
            protection: .osProtected,
            algorithms: [.es384],
            makeSecondStore: idleTime == .zero ? second : nil
        )
        .check()
    }

    @Test func `makes a directory and a file for the owner only, and leaves nothing in the TPM`() async throws {
        let fixture = try await TPMFixture()
        _ = try await fixture.store().loadOrGenerate(alias: fixture.alias)
        #expect(try fixture.directory.mode(of: fixture.directory.keys) == 0o700)
        #expect(try fixture.directory.mode(of: fixture.directory.file("app.key")) == 0o600)
        #expect(try fixture.directory.names() == ["app.key", ".lock"])
        for kind in ["transient", "loaded-session", "persistent"] {
            #expect(try await fixture.tpm.expect("tpm2_getcap handles-\(kind)") == "")
        }
    }

    @Test func `opens with tools of others, which find the attributes it must have`() async throws {
        let fixture = try await TPMFixture()
        let key = try await fixture.store().loadOrGenerate(alias: fixture.alias)
        let blob = try TPMKeyFile.decode(fixture.directory.contents("app.key"), alias: fixture.alias)
        let folder = URL(fileURLWithPath: fixture.directory.path + "/tpm")
        try Data(blob.publicArea.encoded).write(to: folder.appendingPathComponent("key.pub"))
        let count = blob.privateArea.count
        try Data([UInt8(count >> 8), UInt8(count & 0xFF)] + blob.privateArea).write(
            to: folder.appendingPathComponent("key.priv")
        )
        let (tpm, message) = (fixture.tpm, Array("message".utf8))
        try await fixture.makeStorageKey()
        try await tpm.expect("tpm2_load -C primary.ctx -u key.pub -r key.priv -c key.ctx")
        try await tpm.expect("tpm2_flushcontext -t")
        let text = try await tpm.expect("tpm2_readpublic -c key.ctx -f pem -o key.pem")
        try await tpm.expect("tpm2_flushcontext -t")
        #expect(text.contains("value: fixedtpm|fixedparent|sensitivedataorigin|userwithauth|noda|sign\n"))
        // One signature each way.
        try Data(message).write(to: folder.appendingPathComponent("message"))
        try await tpm.expect("tpm2_sign -c key.ctx -g sha256 -s ecdsa -f plain -o theirs message")
        try await Data(ECDSASigValue.encode(key.sign(message))).write(to: folder.appendingPathComponent("ours"))
        for signature in ["theirs", "ours"] {
            let answer = try await tpm.expect("openssl dgst -sha256 -verify key.pem -signature \(signature) message")
            #expect(answer == "Verified OK\n")
        }
    }

    @Test func `says what the TPM says of itself and of the key`() async throws {
        let fixture = try await TPMFixture()
        _ = try await fixture.store().loadOrGenerate(alias: fixture.alias)
        let facts = try #require(try await fixture.store().facts(about: fixture.alias))
        let values = Dictionary(uniqueKeysWithValues: facts.map { ($0.name, $0.value) })
        #expect(values["protection"] == "os-protected")
        #expect(values["device"] == "TPM in software")
        #expect(values["manufacturer"] == "IBM")
        #expect(values["vendor"] == "SW TPM")
        #expect(values["specification"]?.hasPrefix("2.0 revision 1.") == true)
        #expect(values["attributes"] == "fixedTPM fixedParent sensitiveDataOrigin userWithAuth noDA sign")
        #expect(values["storage key"] == "made again when it is needed")
        #expect(values["storage key name"]?.count == 68)
        #expect(values["connection"] == fixture.tpm.tcti)
    }

    @Test func `many tasks sign with several keys in a TPM that has room for two`() async throws {
        let fixture = try await TPMFixture()
        try await fixture.tpm.expect("tpm2_createprimary -C n -c foreign.ctx")
        #expect(try await fixture.tpm.expect("tpm2_getcap handles-transient") == "- 0x80000000\n")
        let store = try fixture.store(idleTime: .seconds(10))
        let keys = try await [
            store.loadOrGenerate(alias: KeyAlias("a")), store.loadOrGenerate(alias: KeyAlias("b")),
            store.loadOrGenerate(alias: KeyAlias("c"), algorithm: .es384),
        ]
        let count = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<60 { group.addTask { try await fixture.works(keys[number % 3]) } }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(count == 60)
    }

    @Test func `gives the room in the TPM back when nobody uses it`() async throws {
        let fixture = try await TPMFixture()
        let store = try fixture.store(idleTime: .milliseconds(100))
        let key = try await store.loadOrGenerate(alias: fixture.alias)
        for _ in 0..<15_000 {
            if try await fixture.tpm.expect("tpm2_getcap handles-transient") == "" { break }
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(try await fixture.tpm.expect("tpm2_getcap handles-transient") == "")
        #expect(try await fixture.works(key))
    }

    @Test func `is no key store without a device, and says what is missing`() async throws {
        let directory = try TemporaryDirectory()
        let alias = try KeyAlias("app")
        for tcti in ["device:\(directory.path)/no-such-device", "swtpm:path=\(directory.path)/no", "nonsense"] {
            let store = try TPMKeyStore(directory: directory.keys, tcti: tcti)
            await #expect { try await store.loadOrGenerate(alias: alias) } throws: { error in
                guard let error = error as? KeyStoreError else { return false }
                return error.code == .deviceUnavailable && error.reason.contains(tcti)
                    && (!tcti.hasPrefix("device:") || error.reason.contains("no such device"))
            }
            #expect(try await store.aliases() == [])
        }
        #expect(try directory.names() == [".lock"])
    }

    @Test func `takes no authorization value that no TPM could have`() throws {
        #expect { try TPMKeyStore(directory: "/none", ownerAuthorization: [UInt8](repeating: 1, count: 65)) } throws: {
            ($0 as? KeyStoreError)?.code == .invalidSecret
        }
    }

    @Test func `numbers that a TPM writes without leading zeros get them back`() throws {
        let joined = try TPMSigningKey.joined((r: [1, 2], s: [UInt8](repeating: 7, count: 32)), count: 32)
        #expect(joined == [UInt8](repeating: 0, count: 30) + [1, 2] + [UInt8](repeating: 7, count: 32))
        #expect { try TPMSigningKey.joined((r: [UInt8](repeating: 1, count: 33), s: [1]), count: 32) } throws: {
            ($0 as? KeyStoreError)?.code == .deviceFailed
        }
    }
}
#endif
