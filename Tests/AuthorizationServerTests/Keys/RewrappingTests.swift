// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import JOSE
import ServerStorage
import SigningKeys
import TestSupport
import Testing

@Suite("Signing keys: encrypted under another credential")
struct RewrappingTests {
    private static func sealer(_ number: UInt8) throws -> KeyFileWrapper {
        try KeyFileWrapper(encryptingWith: .credential([UInt8](repeating: number, count: 32)))
    }

    @Test func `the keys stay the same, and open with the new credential only`() async throws {
        let storage = MemoryAuthorizationStorage()
        let before = try await RotatingServer(storage: storage, sealer: Self.sealer(1))
        let client = try before.openID.client()
        let old = try await before.signIn(client)
        await before.pass(3000)
        let published = try await before.published()
        #expect(published.count == 2)
        #expect(try await before.ring.rewrap(with: Self.sealer(2)) == 2)
        let after = try await RotatingServer(
            storage: storage,
            clock: before.server.clock,
            sealer: Self.sealer(2),
            seed: 2
        )
        #expect(try await after.published() == published)
        #expect(try await after.signIn(after.openID.client()).keyID == old.keyID)
        await #expect(throws: AuthorizationServerError.self) {
            try await RotatingServer(storage: storage, clock: before.server.clock, sealer: Self.sealer(1), seed: 3)
        }
    }

    @Test func `it can be done again, also when a key was made with the old credential in between`() async throws {
        let storage = MemoryAuthorizationStorage()
        let running = try await RotatingServer(storage: storage, sealer: Self.sealer(1))
        #expect(try await running.ring.rewrap(with: Self.sealer(2)) == 1)
        await running.pass(3000)
        #expect(try await running.published().count == 2)
        let ring = try SigningKeyRing(storage: storage, sealer: Self.sealer(1), clock: running.server.clock)
        for _ in 1...2 { #expect(try await ring.rewrap(with: Self.sealer(2)) == 2) }
        _ = try await RotatingServer(storage: storage, clock: running.server.clock, sealer: Self.sealer(2), seed: 2)
    }

    @Test func `with the wrong credential nothing changes`() async throws {
        let storage: any AuthorizationStorage = MemoryAuthorizationStorage()
        let server = try await RotatingServer(storage: storage, sealer: Self.sealer(1))
        let before = try await storage.signingKeys()
        let ring = try SigningKeyRing(storage: storage, sealer: Self.sealer(3), clock: server.server.clock)
        await #expect(throws: AuthorizationServerError.self) { try await ring.rewrap(with: Self.sealer(2)) }
        #expect(try await storage.signingKeys() == before)
    }
}
