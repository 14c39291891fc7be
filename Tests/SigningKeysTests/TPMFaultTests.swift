// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import JOSE
import TestSupport
import Testing

@testable import SigningKeys

@Suite("Keys of a TPM when something goes wrong")
struct TPMFaultTests {
    @Test(arguments: [nil, "owner"])
    func `keys are lost when the TPM is cleared, and never replaced in silence`(owner: String?) async throws {
        let fixture = try await TPMFixture()
        if let owner { try await fixture.tpm.expect("tpm2_changeauth -c o \(owner)") }
        let store = try fixture.store(owner: owner)
        let key = try await store.loadOrGenerate(alias: fixture.alias)
        try await fixture.tpm.expect("tpm2_clear -c p")
        #expect(try await fixture.refusal(store) == .keyLost)
        #expect(await failure { _ = try await key.sign([1]) } == .keyLost)
        try await store.delete(fixture.alias)
        let next = try await store.loadOrGenerate(alias: fixture.alias)
        #expect(next.publicKey != key.publicKey)
        #expect(try await fixture.works(next))
    }

    @Test func `keys are lost when the TPM is cleared while it is in use`() async throws {
        let fixture = try await TPMFixture()
        let store = try fixture.store(idleTime: .seconds(10))
        let key = try await store.loadOrGenerate(alias: fixture.alias)
        try await fixture.tpm.expect("tpm2_clear -c p")
        #expect(await failure { _ = try await key.sign([1]) } == .keyLost)
        #expect(try await fixture.refusal(store) == .keyLost)
    }

    @Test func `keys that others flushed are loaded again`() async throws {
        let fixture = try await TPMFixture()
        let key = try await fixture.store(idleTime: .seconds(10)).loadOrGenerate(alias: fixture.alias)
        for _ in 0..<3 {
            try await fixture.tpm.expect("tpm2_flushcontext -t")
            #expect(try await fixture.works(key))
        }
    }

    @Test func `another TPM does not open the keys of this one`() async throws {
        let fixture = try await TPMFixture()
        _ = try await fixture.store().loadOrGenerate(alias: fixture.alias)
        let other = try await SoftwareTPM(directory: fixture.directory.path + "/other")
        #expect(try await fixture.refusal(fixture.store(tcti: other.tcti)) == .keyLost)
        #expect(try await fixture.store().load(fixture.alias) != nil)
    }

    @Test(arguments: [Duration.zero, .seconds(10)])
    func `a TPM that went away is unavailable, and works when it is back`(idleTime: Duration) async throws {
        let fixture = try await TPMFixture()
        let store = try fixture.store(idleTime: idleTime)
        let key = try await store.loadOrGenerate(alias: fixture.alias)
        await fixture.tpm.stop()
        for _ in 0..<3 {
            #expect(await failure { _ = try await key.sign([1]) } == .deviceUnavailable)
            #expect(try await fixture.refusal(store) == .deviceUnavailable)
        }
        #expect(try await store.aliases() == [fixture.alias])
        let again = try await SoftwareTPM(directory: fixture.directory.path + "/tpm")
        #expect(try await fixture.works(key))
        #expect(try await store.load(fixture.alias)?.publicKey == key.publicKey)
        await again.stop()
    }

    @Test func `a connection that broke while idle does not make a signature fail`() async throws {
        let fixture = try await TPMFixture()
        let key = try await fixture.store(idleTime: .seconds(600)).loadOrGenerate(alias: fixture.alias)
        var tpm = fixture.tpm
        for _ in 0..<2 {
            await tpm.stop()
            tpm = try await SoftwareTPM(directory: fixture.directory.path + "/tpm")
            #expect(try await fixture.works(key))
        }
        await tpm.stop()
        #expect(await failure { _ = try await key.sign([1]) } == .deviceUnavailable)
    }

    @Test func `another store makes the key only if there is no TPM, not if it cannot be reached`() async throws {
        let fixture = try await TPMFixture()
        func manager(_ tcti: String? = nil) throws -> KeyManager {
            // No records: the key is of a time before there was a manager.
            KeyManager(
                hardware: [KeyLocation("tpm", try fixture.store(tcti: tcti))],
                software: KeyLocation("memory", MemoryKeyStore()),
                placements: MemoryKeyLocationStore()
            )
        }
        let key = try await fixture.store().loadOrGenerate(alias: fixture.alias)
        let other = try KeyAlias("other")
        await fixture.tpm.stop()
        for alias in [fixture.alias, other] {
            #expect(await failure { _ = try await manager().loadOrGenerate(alias: alias) } == .deviceUnavailable)
        }
        let none = "device:\(fixture.directory.path)/none"
        // Its file shows that there is a key.
        let code = await failure { _ = try await manager(none).loadOrGenerate(alias: fixture.alias) }
        #expect(code == .deviceUnavailable)
        #expect(try await manager(none).loadOrGenerate(alias: other).protection == .memory)
        // There, but in use by others, or broken.
        try fixture.directory.write([], to: "broken")
        let broken = try manager("device:\(fixture.directory.file("broken"))")
        #expect(await failure { _ = try await broken.loadOrGenerate(alias: other) } == .deviceUnavailable)
        let again = try await SoftwareTPM(directory: fixture.directory.path + "/tpm")
        #expect(try await manager().loadOrGenerate(alias: fixture.alias).publicKey == key.publicKey)
        await again.stop()
    }

    @Test func `a machine without a device has no TPM, also where another name leads to it`() throws {
        let directory = try TemporaryDirectory()
        try directory.write([], to: "tpm0")
        let none = [directory.file("tpmrm0")]
        // What libtss2-tctildr answers when it cannot connect: TSS2_TCTI_RC_IO_ERROR.
        let unreachable = TPMStatus(0xA000A, "connecting")
        func forbidsFallback(_ tcti: String, _ devices: [String]) -> Bool {
            let device = TPMDevice(
                configuration: tcti,
                authorization: nil,
                idleTime: .zero,
                placesOfMachine: ["tabrmd": devices, "device": devices]
            )
            let error = device.explain(unreachable)
            #expect(error.code == .deviceUnavailable)
            return error.forbidsFallback
        }
        for tcti in ["tabrmd", "device"] {
            #expect(!forbidsFallback(tcti, none), "\(tcti)")
            // There: the daemon may not be running yet.
            #expect(forbidsFallback(tcti, none + [directory.file("tpm0")]), "\(tcti)")
        }
        // Devices may be hidden from a program that reaches the daemon, but not from one that opens them.
        let places = TPMDevice.placesOfMachine
        #expect(Set(places["tabrmd"] ?? []).subtracting(places["device"] ?? []) == ["/sys/class/tpm/tpm0"])
        // A simulator, which may be started later.
        for tcti in ["swtpm:host=127.0.0.1,port=2321", "mssim", "tabrmd:bus_type=session"] {
            #expect(forbidsFallback(tcti, none), "\(tcti)")
        }
    }

    @Test func `the owner's authorization value is demanded once, proven, and never tried again`() async throws {
        let fixture = try await TPMFixture()
        try await fixture.tpm.expect("tpm2_changeauth -c o owner")
        for wrong in [nil, "", "ownes", "owner of the TPM"] {
            #expect(
                await failure { _ = try await fixture.store(owner: wrong).loadOrGenerate(alias: fixture.alias) }
                    == .wrongPIN
            )
        }
        #expect(try fixture.directory.names() == [".lock"])
        let key = try await fixture.store(owner: "owner").loadOrGenerate(alias: fixture.alias)
        #expect(try await fixture.works(key))
        for wrong in [nil, "ownes"] { #expect(try await fixture.refusal(fixture.store(owner: wrong)) == .wrongPIN) }
        #expect(try await fixture.store(owner: "owner").load(fixture.alias)?.publicKey == key.publicKey)
        for kind in ["transient", "loaded-session"] {
            #expect(try await fixture.tpm.expect("tpm2_getcap handles-\(kind)") == "")
        }
        // A value that the TPM does not ask for is not used.
        try await fixture.tpm.expect("tpm2_changeauth -c o -p owner")
        #expect(try await fixture.store(owner: "owner").load(fixture.alias)?.publicKey == key.publicKey)
    }

    @Test func `the storage key that a system keeps is the same one, and needs no owner`() async throws {
        let fixture = try await TPMFixture()
        let before = try await fixture.store().loadOrGenerate(alias: fixture.alias)
        try await fixture.makeStorageKey()
        try await fixture.tpm.expect("tpm2_evictcontrol -C o -c primary.ctx 0x81000001")
        try await fixture.tpm.expect("tpm2_changeauth -c o owner")
        let store = try fixture.store()
        #expect(try await store.load(fixture.alias)?.publicKey == before.publicKey)
        let other = try KeyAlias("other")
        let key = try await store.loadOrGenerate(alias: other)
        #expect(try await fixture.works(key))
        let facts = try #require(try await store.facts(about: other))
        #expect(facts.contains(KeyFact("storage key", "kept in the TPM at 0x81000001")))
        // Gone again: the TPM makes the same one, for its owner.
        try await fixture.tpm.expect("tpm2_evictcontrol -C o -P owner -c 0x81000001")
        #expect(await failure { _ = try await store.load(other) } == .wrongPIN)
        #expect(try await fixture.store(owner: "owner").load(other)?.publicKey == key.publicKey)
    }

    @Test(arguments: ["fixedtpm|fixedparent|sensitivedataorigin|userwithauth|restricted|decrypt", "rsa2048"])
    func `a kept storage key of another kind is not used`(kind: String) async throws {
        let fixture = try await TPMFixture()
        if kind == "rsa2048" {
            try await fixture.tpm.expect("tpm2_createprimary -C o -G \(kind) -c primary.ctx")
        } else {
            try await fixture.tpm.expect("tpm2_createprimary -C o -G ecc256 -a \(kind) -c primary.ctx")
        }
        try await fixture.tpm.expect("tpm2_flushcontext -t")
        try await fixture.tpm.expect("tpm2_evictcontrol -C o -c primary.ctx 0x81000001")
        let key = try await fixture.store().loadOrGenerate(alias: fixture.alias)
        try await fixture.tpm.expect("tpm2_evictcontrol -C o -c 0x81000001")
        #expect(try await fixture.store().load(fixture.alias)?.publicKey == key.publicKey)
    }

    @Test func `keys work while the TPM is locked against guessing`() async throws {
        let fixture = try await TPMFixture()
        let tpm = fixture.tpm
        let key = try await fixture.store().loadOrGenerate(alias: fixture.alias)
        try await tpm.expect(
            "tpm2_dictionarylockout --setup-parameters --max-tries=1 --recovery-time=1000 --lockout-recovery-time=1000"
        )
        try await tpm.expect("tpm2_createprimary -C o -G ecc256 -p right -c guessed.ctx")
        try await tpm.expect("tpm2_flushcontext -t")
        let guess = "tpm2_create -C guessed.ctx -P wrong -G ecc256 -u u -r r"
        for _ in 0..<2 {
            #expect(try await tpm.run(guess).status != 0)
            try await tpm.expect("tpm2_flushcontext -t")
        }
        let state = try await tpm.expect("tpm2_getcap properties-variable")
        #expect(state.contains(try Regex(#"inLockout: +1"#)))
        #expect(try await fixture.works(key))
        #expect(try await fixture.works(fixture.store().loadOrGenerate(alias: KeyAlias("new"))))
    }

    @Test(
        arguments: [
            (0x921, .deviceLocked), (0x9A2, .wrongPIN), (0x98E, .wrongPIN), (0x1DF, .keyLost), (0x2DF, .keyLost),
            (0x922, .deviceFailed), (0x902, .deviceFailed), (0x101, .deviceFailed), (0x100, .deviceFailed),
            (0x2E6, .unsupportedAlgorithm), (0xA000A, .deviceUnavailable), (0xA0008, .deviceUnavailable),
            (0x70001, .deviceFailed), (0x80001, .deviceFailed), (0xC0902, .deviceFailed), (0xB0143, .deviceFailed),
        ] as [(UInt32, KeyStoreError.Code)]
    )
    func `every response code has a meaning`(status: UInt32, code: KeyStoreError.Code) {
        #expect(TPMStatus(status, "a command").keyStoreError.code == code)
        #expect(TPMStatus(status, "a command").keyStoreError.reason.contains("a command"))
    }

    @Test(
        arguments: [
            (0x1DF, .keyLost), (0x1C4, .keyLost), (0x2E5, .keyLost), (0x155, .keyLost), (0xC01DF, .keyLost),
            (0x1D5, .malformedKeyFile), (0x1DA, .malformedKeyFile), (0x2DC, .malformedKeyFile),
            (0x2E7, .malformedKeyFile), (0x2E6, .deviceFailed), (0x2C3, .deviceFailed), (0x2D2, .deviceFailed),
            (0x921, .deviceLocked), (0x902, .deviceFailed), (0x922, .deviceFailed), (0x18B, .deviceFailed),
            (0x910, .deviceFailed), (0x9A2, .wrongPIN), (0xA000A, .deviceUnavailable),
        ] as [(UInt32, KeyStoreError.Code)]
    )
    func `a key that does not load is lost only where the TPM says so`(status: UInt32, code: KeyStoreError.Code) {
        let kind = TPMStatus.kind(ofLoading: status)
        #expect(TPMStatus(status, "TPM2_Load", as: kind).keyStoreError.code == code)
    }

    @Test func `what passes is told from what does not, also behind a resource manager`() {
        #expect(TPMStatus(0xC0902, "").kind == .noMemory)
        #expect(TPMStatus(0x18B, "").kind == .staleReference)
        #expect(TPMStatus(0x910, "").kind == .staleReference)
        for code: UInt32 in [0x908, 0x90A, 0x920, 0x922, 0xC0922] { #expect(TPMStatus(code, "").kind == .busy) }
        #expect(TPMStatus(0xC0902, "").isOfTPM)
        #expect(!TPMStatus(0xA000A, "").isOfTPM)
        #expect(!TPMStatus(0x70001, "").isOfTPM)
    }
}
#endif
