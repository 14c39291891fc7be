// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import Dispatch
import HTTPMessage
import JOSE
import ServerStorage
import Synchronization
import TestSupport
import Testing

@Suite struct PasswordHasherTests {
    private static let hashers = [PasswordHasher(entropy: SeededEntropy()), .unprotected(entropy: SeededEntropy())]

    @Test(arguments: [0, 1])
    func `a hasher knows its own hashes`(index: Int) async throws {
        let hasher = Self.hashers[index]
        let hash = try await hasher.hash("a password")
        #expect(try await hasher.check("a password", against: hash))
        #expect(try await !hasher.check("b password", against: hash))
        #expect(try await !hasher.check("a password", against: nil))
        #expect(try await hasher.hash("a password") != hash, "each has a salt of its own")
    }

    @Test(arguments: [0, 1])
    func `a hash of another kind is no hash: a test's password opens no real server`(index: Int) async throws {
        let hash = try await Self.hashers[index].hash("a password")
        await #expect(throws: AuthorizationServerError.self) {
            try await Self.hashers[1 - index].check("a password", against: hash)
        }
    }

    @Test func `the stored form of scrypt stays as it is`() async throws {
        // Made by Python's hashlib.scrypt.
        let stored = PasswordHash(
            stored: "$scrypt$ln=14,r=8,p=5$AAECAwQFBgcICQoLDA0ODw$D7lSJtJDGLLVcrxL7dWjkoRxbs-pMvcVYIJ-gbuyltk"
        )
        #expect(try await Self.hashers[0].check("correct horse battery staple", against: stored))
    }
}

@Suite("Passwords that wait too long, or are too many", .timeLimit(.minutes(1)))
struct PasswordHasherLoadTests {
    private final class Uptime: Sendable {
        private let time = Mutex(ContinuousClock.now)

        func now() -> ContinuousClock.Instant { time.withLock { $0 } }

        func advance(by duration: Duration) { time.withLock { $0 += duration } }
    }

    private static func source(_ number: Int) -> PasswordSource {
        IPAddress(parsing: "192.0.\(number / 250).\(number % 250)").map { .address($0) } ?? .unknown
    }

    @Test func `the server is busy when all places are taken, and for those who waited ten seconds`() async throws {
        let (gate, uptime) = (DispatchSemaphore(value: 0), Uptime())
        let hasher = PasswordHasher.unprotected(
            entropy: SeededEntropy(),
            threads: 1,
            uptime: uptime.now,
            derived: { gate.wait() }
        )
        func code(_ source: PasswordSource) async -> AuthorizationServerError.Code? {
            do {
                _ = try await hasher.check("wrong", against: nil, from: source)
                return nil
            } catch {
                return error.code
            }
        }
        let codes = await withTaskGroup { group in
            for number in 0...384 { group.addTask { await code(Self.source(number)) } }
            while hasher.waitingCount < 384 { await Task.yield() }
            #expect(await code(Self.source(1000)) == .busy)
            group.addTask { await code(.knownUser("ada")) }
            while hasher.waitingCount < 385 { await Task.yield() }
            uptime.advance(by: .seconds(10))
            gate.signal()
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes.count == 386)
        #expect(codes.filter { $0 == nil }.count == 1)
        #expect(codes.filter { $0 == .busy }.count == 385)
        #expect(hasher.waitingCount == 0)
    }
}
