// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import JOSE
import OAuthSystem
import ServerStorage
import SigningKeys
import TestSupport
import Testing

@Suite("Signing keys in a device")
struct DeviceSigningKeyTests {
    private let device = RemovableDevice()
    private let storage: any AuthorizationStorage = MemoryAuthorizationStorage()
    private let clock = FixedClock()

    private func process(
        seed: UInt64 = 1,
        algorithms: [SignatureAlgorithm] = [.es256],
        earlier: (any KeyWrapper)? = nil
    ) async throws -> RotatingServer {
        let place = DeviceSigningKeys(device, earlier: earlier, entropy: SeededEntropy(seed: seed))
        return try await RotatingServer(
            storage: storage,
            clock: clock,
            algorithms: algorithms,
            place: place,
            seed: seed
        )
    }

    @Test(arguments: [SignatureAlgorithm.es256, .rs256])
    func `signs with keys of the device, of which the storage has names and nothing else`(
        _ algorithm: SignatureAlgorithm
    ) async throws {
        let process = try await self.process(algorithms: [algorithm])
        let client = try process.openID.client()
        let made = try await process.signIn(client)
        #expect(try await process.accepts(made.accessToken, of: client))
        #expect(try await process.published() == [made.keyID])
        let stored = try await storage.signingKeys()
        let name = try #require(try await device.aliases().first)
        #expect(
            stored.map { String(decoding: $0.wrappedKey.bytes, as: UTF8.self) } == [
                #"{"signing_key_alias":"\#(name)"}"#
            ]
        )
        #expect(try await device.load(name)?.publicKey.thumbprint.description == made.keyID)
        // A process that starts later has the same one.
        #expect(try await self.process(seed: 2, algorithms: [algorithm]).published() == [made.keyID])
        #expect(try await device.aliases().count == 1)
    }

    @Test func `the next key is made in the device, and an old one is deleted there at its end`() async throws {
        let process = try await self.process()
        let first = try await device.aliases()
        await process.pass(3000)
        #expect(try await device.aliases().count == 2)
        await process.pass(600)
        #expect(try await process.published().count == 2)
        await process.pass(1859)
        #expect(Set(try await device.aliases()).isSuperset(of: first))
        await process.pass(1)
        #expect(try await device.aliases().count == 1)
        #expect(Set(try await device.aliases()).isDisjoint(with: first))
        #expect(process.server.reports.all.isEmpty)
    }

    @Test func `of several processes that make a key at once one does, and the device keeps no other`() async throws {
        var processes: [RotatingServer] = []
        for seed in 1...4 { processes.append(try await self.process(seed: UInt64(seed))) }
        clock.advance(by: .seconds(3000))
        device.waitForCrowd(of: processes.count)
        await withTaskGroup { group in
            for process in processes { group.addTask { await process.engine.rotateSecrets() } }
        }
        let stored = try await storage.signingKeys()
        #expect(stored.count == 2)
        #expect(try await device.aliases().count == 2)
        for process in processes {
            await process.engine.rotateSecrets()
            #expect(try await Set(process.published()) == Set(stored.map(\.keyID)))
        }
    }

    @Test func `without the device keys are published, no token is given out, and nothing is spent`() async throws {
        let process = try await self.process()
        let client = try process.openID.client()
        let before = try await process.signIn(client)
        let response = try await process.openID.signIn(client)
        let refreshToken = try response.string("refresh_token")

        device.isOut = true
        for _ in 1...3 { await process.pass(5) }
        #expect(process.engine.signingProblem?.contains("the device is out") == true)
        #expect(try await process.published() == [before.keyID])
        #expect(try await process.accepts(before.accessToken, of: client))
        let refused = try await client.refresh(refreshToken)
        #expect(refused.status == 503)
        #expect(try refused.string("error") == "server_error")

        device.isOut = false
        await process.pass(5)
        #expect(process.engine.signingProblem == nil)
        #expect(try await client.refresh(refreshToken).status == 200)
        // Each change is told once, and each failed signature.
        let reports = process.server.reports.all.filter { $0.hasPrefix("the signing keys: ") }
        #expect(reports.count == 2)
        #expect(reports.last?.hasPrefix("the signing keys: this is over: ") == true)
    }

    @Test func `a key that vanished is told, and no other takes its place`() async throws {
        let process = try await self.process()
        let client = try process.openID.client()
        let refreshToken = try await process.openID.signIn(client).string("refresh_token")
        let name = try #require(try await device.aliases().first)
        let published = try await process.published()
        try await device.delete(name)
        for _ in 1...3 { await process.pass(5) }
        #expect(try await process.published() == published)
        #expect(try await storage.signingKeys().map(\.keyID) == published)
        #expect(try await device.aliases().isEmpty)
        #expect(process.engine.signingProblem?.contains("keyLost") == true)
        #expect(process.server.reports.all.filter { $0.contains(name.text) }.count == 1)
        #expect(try await client.refresh(refreshToken).status == 503)
        await #expect(throws: AuthorizationServerError.self) { _ = try await self.process(seed: 2) }
        await #expect(throws: AuthorizationServerError.self) {
            try await SigningKeyRing(
                storage: storage,
                place: DeviceSigningKeys(device),
                policy: RotatingServer.policy,
                clock: clock
            )
            .rotateNow(.es256)
        }
        // What an operator says is not silent.
        try await process.ring.revokeAll(.es256)
        await process.pass(5)
        #expect(process.engine.signingProblem == nil)
        #expect(try await Set(process.published()).isDisjoint(with: published))
    }

    @Test func `revoked keys are deleted from the device, the waiting one too`() async throws {
        let process = try await self.process()
        await process.pass(3000)
        let before = Set(try await device.aliases())
        #expect(before.count == 2)
        try await process.ring.revokeAll(.es256)
        let after = try await device.aliases()
        #expect(after.count == 1)
        #expect(before.isDisjoint(with: after))
    }

    @Test func `revoked is revoked, also where the device keeps the key`() async throws {
        let process = try await self.process()
        let before = try await process.published()
        device.keepsAll = true
        await #expect(throws: AuthorizationServerError.self) { try await process.ring.revokeAll(.es256) }
        await process.pass(5)
        #expect(try await Set(process.published()).isDisjoint(with: before))
    }

    @Test func `a process that cannot reach the device stops publishing what another one revoked`() async throws {
        let other = DeviceSigningKeys(device)
        let process = try await self.process()
        let before = try await process.published()
        let ring = try SigningKeyRing(storage: storage, place: other, policy: RotatingServer.policy, clock: clock)
        // The other process has the device; this one loses it afterwards.
        try await ring.revokeAll(.es256)
        device.isOut = true
        await process.pass(5)
        #expect(try await process.published().isEmpty)
        #expect(!before.isEmpty)
        device.isOut = false
        await process.pass(5)
        #expect(try await process.published().count == 1)
    }

    @Test func `what is not deleted stays known, is told once, and is deleted later`() async throws {
        let process = try await self.process()
        await process.pass(3000)
        await process.pass(600)
        device.keepsAll = true
        for _ in 1...3 { await process.pass(1860) }
        #expect(process.server.reports.all.filter { $0.contains("was not deleted") }.count == 1)
        #expect(process.engine.signingProblem == nil)
        device.keepsAll = false
        await process.pass(5)
        #expect(try await device.aliases().count == (try await storage.signingKeys().count))
    }

    @Test func `keys from before the device go on until they are over, and only with what opens them`() async throws {
        let sealer = KeyFileWrapper.leavingKeysUnencrypted()
        let before = try await RotatingServer(storage: storage, clock: clock, sealer: sealer)
        let old = try await before.published()
        await #expect(throws: AuthorizationServerError.self) { _ = try await self.process() }
        let process = try await self.process(earlier: sealer)
        #expect(try await process.published() == old)
        await process.pass(3000)
        let name = try #require(try await device.aliases().first)
        let new = try #require(try await device.load(name)).publicKey.thumbprint.description
        #expect(try await process.published() == old + [new])
        // And nobody takes the name of a key for a key.
        await #expect(throws: AuthorizationServerError.self) {
            _ = try await RotatingServer(storage: storage, clock: clock, sealer: sealer, seed: 3)
        }
        // A key in a device stays there when those in the storage are encrypted otherwise.
        let other = try KeyFileWrapper(encryptingWith: .credential([UInt8](repeating: 7, count: 32)))
        #expect(try await process.ring.rewrap(with: other) == 1)
        let rewrapped = try await self.process(seed: 4, earlier: other)
        #expect(try await rewrapped.published() == old + [new])
    }

    @Test(arguments: [
        #"{"signing_key_alias":"access-to-the-safe"}"#, #"{"signing_key_alias":"keybound-signs-/x"}"#,
        #"{"signing_key_alias":"keybound-signs-a","more":1}"#, "{}", "",
    ])
    func `who can write the storage cannot have the device sign with its other keys`(_ text: String) async throws {
        _ = try await device.loadOrGenerate(alias: KeyAlias("access-to-the-safe"))
        let process = try await self.process()
        var stored = try #require(try await storage.signingKeys().first)
        let key = try #require(try await device.load(KeyAlias("access-to-the-safe")))
        stored.keyID = key.publicKey.thumbprint.description
        stored.publicKey = key.publicKey
        stored.wrappedKey = WrappedKey(Array(text.utf8))
        stored.activeFrom = stored.activeFrom + .milliseconds(1)
        #expect(try await storage.add(stored, after: process.published().first))
        await process.pass(5)
        #expect(try await !process.published().contains(stored.keyID))
        #expect(process.server.reports.all.contains { $0.contains("cannot be opened") })
    }
}
