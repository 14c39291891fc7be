// SPDX-License-Identifier: Apache-2.0

import JOSE
import KeyStoreSuite
import Synchronization
import Testing

@testable import SigningKeys

/// A manager with one store of hardware and one of software that a test can make fail.
private struct Stage {
    let hardware = FaultyKeyStore(claiming: .hardwareBound)
    let software = FaultyKeyStore()
    let placements: any KeyLocationStore
    let alias: KeyAlias

    init(placements: any KeyLocationStore = MemoryKeyLocationStore()) throws {
        self.placements = placements
        alias = try KeyAlias("app")
    }

    func manager(_ policy: KeyPolicy = .preferHardware) -> KeyManager {
        KeyManager(
            policy: policy,
            hardware: [KeyLocation("device", hardware)],
            software: KeyLocation("file", software),
            placements: placements
        )
    }
}

/// What was reported of one call.
private final class Reports: Sendable {
    private let events = Mutex<[KeyEvent]>([])

    @Sendable func note(_ event: KeyEvent) {
        events.withLock { $0.append(event) }
    }

    var texts: [String] {
        events.withLock {
            $0.map { [$0.kind.rawValue, $0.place, $0.error?.code.rawValue].compactMap { $0 }.joined(separator: " ") }
        }
    }
}

@Suite("The manager of keys")
struct KeyManagerTests {
    private let stage: Stage

    init() throws {
        stage = try Stage()
    }

    @Test(arguments: [
        (KeyPolicy.preferHardware, KeyProtection.hardwareBound), (.requireHardware, .hardwareBound),
        (.softwareOnly, .memory),
    ])
    func `keeps the promises of a key store`(policy: KeyPolicy, protection: KeyProtection) async throws {
        let stage = stage
        try await KeyStoreBehaviour(stage.manager(policy), protection: protection) { stage.manager(policy) }.check()
        #expect(try await stage.placements.aliases() == [])
    }

    @Test(arguments: [KeyStoreError.Code.deviceUnavailable, .unsupportedAlgorithm, .missingEntitlement])
    func `keeps them without hardware too`(code: KeyStoreError.Code) async throws {
        let stage = stage
        stage.hardware.fail(with: code)
        try await KeyStoreBehaviour(stage.manager(), protection: .memory) { stage.manager() }.check()
    }

    @Test(arguments: [
        KeyStoreError.Code.deviceLocked, .userCanceled, .wrongPIN, .pinLocked, .deviceFailed, .storageFailed, .keyLost,
    ])
    func `a device that is there and fails is never passed over`(code: KeyStoreError.Code) async throws {
        for steps: Set<FaultyKeyStore.Step> in [[.generate], [.load, .generate]] {
            stage.hardware.fail(steps, with: code)
            #expect(await failure { _ = try await stage.manager().loadOrGenerate(alias: stage.alias) } == code)
        }
        #expect(stage.software.generatedCount == 0)
        stage.hardware.fail(with: nil)
        let key = try await stage.manager().loadOrGenerate(alias: stage.alias)
        #expect(key.protection == .hardwareBound)
    }

    @Test func `a device that is there and cannot be reached is never passed over`() async throws {
        for steps: Set<FaultyKeyStore.Step> in [[.generate], [.load], [.load, .generate]] {
            stage.hardware.fail(steps, with: .deviceUnavailable, forbidsFallback: true)
            let code = await failure { _ = try await stage.manager().loadOrGenerate(alias: stage.alias) }
            #expect(code == .deviceUnavailable)
        }
        stage.hardware.fail([.list, .delete], with: .deviceUnavailable, forbidsFallback: true)
        #expect(await failure { _ = try await stage.manager().aliases() } == .deviceUnavailable)
        #expect(await failure { try await stage.manager().delete(stage.alias) } == .deviceUnavailable)
        #expect(await failure { try await stage.manager().requireReadiness() } == .deviceUnavailable)
        #expect(stage.software.generatedCount == 0)
        #expect(try await stage.placements.aliases() == [])
        stage.hardware.fail(with: nil)
        #expect(try await stage.manager().loadOrGenerate(alias: stage.alias).protection == .hardwareBound)
    }

    @Test func `hardware that comes later changes nothing about a key that is there`() async throws {
        stage.hardware.fail(with: .deviceUnavailable)
        let key = try await stage.manager().loadOrGenerate(alias: stage.alias)
        #expect(try await stage.manager().strongerProtection(for: stage.alias) == nil)
        stage.hardware.fail(with: nil)
        #expect(try await stage.manager().loadOrGenerate(alias: stage.alias).publicKey == key.publicKey)
        #expect(try await stage.manager().strongerProtection(for: stage.alias) == .hardwareBound)
        #expect(try await stage.manager(.softwareOnly).strongerProtection(for: stage.alias) == nil)
        #expect(stage.hardware.generatedCount == 1)
    }

    @Test(arguments: [KeyStoreError.Code.deviceUnavailable, .deviceLocked, .keyLost, .wrongPIN, .userCanceled])
    func `no other key is made while the device of one is away or closed`(code: KeyStoreError.Code) async throws {
        let key = try await stage.manager().loadOrGenerate(alias: stage.alias)
        stage.hardware.fail(with: code)
        for policy in [KeyPolicy.preferHardware, .requireHardware, .softwareOnly] {
            let manager = stage.manager(policy)
            #expect(await failure { _ = try await manager.loadOrGenerate(alias: stage.alias) } == code)
            #expect(await failure { _ = try await manager.load(stage.alias) } == code)
            #expect(await failure { _ = try await manager.facts(about: stage.alias) } == code)
            #expect(await failure { try await manager.delete(stage.alias) } == code)
        }
        #expect(stage.software.generatedCount == 0)
        stage.hardware.fail(with: nil)
        #expect(try await stage.manager().load(stage.alias)?.publicKey == key.publicKey)
    }

    @Test func `a name whose device is away is listed`() async throws {
        _ = try await stage.manager().loadOrGenerate(alias: stage.alias)
        stage.hardware.fail(with: .deviceUnavailable)
        #expect(try await stage.manager().aliases() == [stage.alias])
        stage.hardware.fail(with: .deviceFailed)
        #expect(await failure { _ = try await stage.manager().aliases() } == .deviceFailed)
    }

    @Test func `a key that is on record and gone is lost, until it is deleted`() async throws {
        let key = try await stage.manager().loadOrGenerate(alias: stage.alias)
        try await stage.hardware.delete(stage.alias)
        #expect(await failure { _ = try await stage.manager().loadOrGenerate(alias: stage.alias) } == .keyLost)
        #expect(await failure { _ = try await stage.manager().load(stage.alias) } == .keyLost)
        #expect(await failure { _ = try await stage.manager().facts(about: stage.alias) } == .keyLost)
        try await stage.manager().delete(stage.alias)
        #expect(try await stage.manager().load(stage.alias) == nil)
        #expect(try await stage.manager().loadOrGenerate(alias: stage.alias).publicKey != key.publicKey)
    }

    @Test func `a key on a device that does not come back can be given up by name`() async throws {
        _ = try await stage.manager().loadOrGenerate(alias: stage.alias)
        stage.hardware.fail(with: .deviceUnavailable)
        try await stage.manager().forgetUnavailableKey(stage.alias)
        #expect(try await stage.manager().loadOrGenerate(alias: stage.alias).protection == .memory)
    }

    @Test func `a key in a place that the program does not use any more is not replaced`() async throws {
        _ = try await stage.manager().loadOrGenerate(alias: stage.alias)
        let other = KeyManager(
            hardware: [],
            software: KeyLocation("file", stage.software),
            placements: stage.placements
        )
        #expect(await failure { _ = try await other.loadOrGenerate(alias: stage.alias) } == .deviceUnavailable)
        #expect(stage.software.generatedCount == 0)
    }

    @Test func `a key of a time before there was a manager is kept`() async throws {
        let key = try await stage.software.loadOrGenerate(alias: stage.alias)
        #expect(try await stage.manager().load(stage.alias)?.publicKey == key.publicKey)
        #expect(try await stage.manager().loadOrGenerate(alias: stage.alias).publicKey == key.publicKey)
        #expect(try await stage.placements.place(of: stage.alias) == "file")
        #expect(stage.hardware.generatedCount == 0)
    }

    @Test func `hardware that is demanded is not replaced by software, nor by what only says so`() async throws {
        stage.hardware.fail(with: .deviceUnavailable)
        let manager = stage.manager(.requireHardware)
        #expect(await failure { _ = try await manager.loadOrGenerate(alias: stage.alias) } == .hardwareRequired)
        #expect(stage.software.generatedCount == 0)

        let pretended = FaultyKeyStore(claiming: .osProtected)
        let other = KeyManager(
            policy: .requireHardware,
            hardware: [KeyLocation("token", pretended)],
            software: KeyLocation("file", stage.software),
            placements: stage.placements
        )
        #expect(await failure { _ = try await other.loadOrGenerate(alias: stage.alias) } == .hardwareRequired)
        #expect(try await pretended.aliases() == [])
        #expect(try await stage.placements.aliases() == [])
    }

    @Test(arguments: [KeyProtection.memory, .hardwareBound])
    func `a key of a device that comes back while one is to be made is never deleted`(
        protection: KeyProtection
    ) async throws {
        for placements in [MemoryKeyLocationStore(), UnwritablePlacements()] as [any KeyLocationStore] {
            let device = FaultyKeyStore(claiming: protection)
            let key = try await device.loadOrGenerate(alias: stage.alias)
            // Away when keys are looked for, and back when one is to be made.
            device.fail([.load], with: .deviceUnavailable)
            let manager = KeyManager(
                policy: .requireHardware,
                hardware: [KeyLocation("device", device)],
                software: KeyLocation("file", stage.software),
                placements: placements
            )
            let reports = Reports()
            let code = await failure {
                _ = try await manager.loadOrGenerate(
                    alias: stage.alias,
                    algorithm: .es256,
                    reporting: reports.note
                )
            }
            let isWritable = placements is MemoryKeyLocationStore
            #expect(code == (protection == .memory ? .hardwareRequired : isWritable ? nil : .storageFailed))
            #expect(!reports.texts.contains { $0.hasPrefix("made") })
            device.fail(with: nil)
            #expect(try await device.load(stage.alias)?.publicKey == key.publicKey)
            #expect(try await placements.place(of: stage.alias) == (code == nil ? "device" : nil))
        }
    }

    @Test func `hardware that is demanded refuses a key in software that is there`() async throws {
        _ = try await stage.manager(.softwareOnly).loadOrGenerate(alias: stage.alias)
        let manager = stage.manager(.requireHardware)
        #expect(await failure { _ = try await manager.loadOrGenerate(alias: stage.alias) } == .hardwareRequired)
        #expect(await failure { _ = try await manager.load(stage.alias) } == .hardwareRequired)
        #expect(try await stage.software.aliases() == [stage.alias])
    }

    @Test func `a key whose place cannot be recorded is given to nobody`() async throws {
        let stage = try Stage(placements: UnwritablePlacements())
        #expect(await failure { _ = try await stage.manager().loadOrGenerate(alias: stage.alias) } == .storageFailed)
        #expect(try await stage.hardware.aliases() == [])
    }

    @Test func `tells what was chosen, passed over, lost and locked`() async throws {
        let reports = Reports()
        func make() async -> KeyStoreError.Code? {
            await failure {
                _ = try await stage.manager().loadOrGenerate(
                    alias: stage.alias,
                    algorithm: .es256,
                    reporting: reports.note
                )
            }
        }
        stage.hardware.fail(with: .missingEntitlement)
        #expect(await make() == nil)
        #expect(await make() == nil)
        try await stage.software.delete(stage.alias)
        #expect(await make() == .keyLost)
        stage.software.fail(with: .deviceLocked)
        #expect(await make() == .deviceLocked)
        try await stage.placements.forget(stage.alias)
        stage.software.fail([.generate], with: .storageFailed)
        #expect(await make() == .storageFailed)
        #expect(
            reports.texts == [
                "fellBack device missingEntitlement", "made file", "lost file keyLost", "locked file deviceLocked",
                "fellBack device missingEntitlement", "creationFailed storageFailed",
            ]
        )
    }

    @Test(.timeLimit(.minutes(1))) func `everyone who listens is told`() async throws {
        let manager = stage.manager()
        let events = manager.events()
        _ = try await manager.generateKey(alias: stage.alias)
        var first: KeyEvent?
        for await event in events.prefix(1) { first = event }
        #expect(first?.kind == .made)
        #expect(first?.protection == .hardwareBound)
        #expect(first?.description == "made: device: hardware-bound")
    }

    @Test func `says whether a key could be made, without making one`() async throws {
        for policy in [KeyPolicy.preferHardware, .requireHardware, .softwareOnly] {
            try await stage.manager(policy).requireReadiness()
        }
        stage.hardware.fail(with: .deviceUnavailable)
        try await stage.manager().requireReadiness()
        #expect(await failure { try await stage.manager(.requireHardware).requireReadiness() } == .deviceUnavailable)
        stage.hardware.fail(with: .deviceLocked)
        #expect(await failure { try await stage.manager().requireReadiness() } == .deviceLocked)
        #expect(stage.hardware.generatedCount + stage.software.generatedCount == 0)
    }

    @Test func `facts name the store`() async throws {
        _ = try await stage.manager().loadOrGenerate(alias: stage.alias)
        #expect(try await stage.manager().facts(about: stage.alias)?.last == KeyFact("store", "device"))
    }
}

/// Records that cannot be written.
private struct UnwritablePlacements: KeyLocationStore {
    private let memory = MemoryKeyLocationStore()

    func place(of alias: KeyAlias) async throws(KeyStoreError) -> String? { nil }
    func aliases() async throws(KeyStoreError) -> [KeyAlias] { [] }
    func forget(_ alias: KeyAlias) async throws(KeyStoreError) {}

    func withLock<Value: Sendable>(
        _ body: () async throws(KeyStoreError) -> Value
    ) async throws(KeyStoreError) -> Value {
        try await memory.withLock(body)
    }

    func record(_ place: String, of alias: KeyAlias) async throws(KeyStoreError) {
        throw KeyStoreError(.storageFailed, "the disk is full")
    }
}
