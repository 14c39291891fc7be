// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import JOSE
import OAuthCrypto
import StrictJSON
import TestSupport
import Testing

@testable import BatchVerification

@Suite("Where callers meet: who leads, who waits, who gives up", .computesForLong)
struct BatchQueueTests {
    private let gate = VerifierGate()

    /// A stand-in, so that this is tested on every processor: the queue is the same whatever its lanes are.
    private static let lanes = Result { try BatchVerifier(OneByOneLanes(of: [Array(signedPart.utf8)])) }

    /// Where one verifies at a time, and lanes pay from so many on.
    private func batcher(breakEven: Int = 2, capacity: Int = 8) throws -> SignatureBatcher {
        let backend = BatchBackend(try Self.lanes.get().paying(from: breakEven))
        return SignatureBatcher(backend, verifiers: 1, capacity: capacity) { gate.now() }
    }

    /// What all tokens here have in front of their signatures.
    private static let signedPart = Base64URL.encode(Array(#"{"alg":"ES256"}"#.utf8)) + ".AQID"

    private static func token(isGood: Bool = true) async throws -> SignedToken {
        let (key, other) = (try TestKey.p256(1), try TestKey.p256(2))
        let text = try await CompactJWS.sign(header: [:], payload: [1, 2, 3], with: key)
        return SignedToken(try CompactJWS(parsing: text), key: isGood ? key.publicKey : other.publicKey)
    }

    private func caller(_ batcher: SignatureBatcher, isGood: Bool = true) -> @Sendable () async throws -> Bool {
        { try await batcher.isValid(Self.token(isGood: isGood)) }
    }

    /// The oldest who waits leads next, even when he has given up: then he verifies nothing and the next one leads.
    @Test func `who gave up and is made leader throws, verifies nothing, and the next one leads`() async throws {
        let batcher = try batcher()
        let held = await gate.hold(caller(batcher))
        let givenUp = await gate.queue(in: batcher, caller(batcher))
        let next = await gate.queue(in: batcher, caller(batcher))
        givenUp.cancel()
        gate.open()
        await #expect(throws: CancellationError.self) { try await givenUp.value }
        #expect(try await held.value)
        #expect(try await next.value)
        let statistics = batcher.statistics
        #expect(statistics.singles + statistics.batched == 2 && statistics.waiting == 0)
        // He does not lead any more.
        #expect(try await caller(batcher)())
    }

    @Test func `who finds the queue full verifies by himself, and those who gave up are gone with the next group`()
        async throws
    {
        let batcher = try batcher(capacity: 2)
        for _ in 0..<2 {
            let held = await gate.hold(caller(batcher))
            let first = await gate.queue(in: batcher, caller(batcher))
            let second = await gate.queue(in: batcher, caller(batcher, isGood: false))
            #expect(try await caller(batcher)())
            #expect(try await !caller(batcher, isGood: false)())
            #expect(batcher.statistics.waiting == 2)
            second.cancel()
            gate.open()
            #expect(try await held.value)
            #expect(try await first.value)
            await #expect(throws: CancellationError.self) { try await second.value }
            #expect(batcher.statistics.waiting == 0)
        }
    }

    @Test(arguments: [1, 2, 3, 7])
    func `where three pay, fewer verify each by themselves and more go together`(waiting: Int) async throws {
        let batcher = try batcher(breakEven: 3)
        let held = await gate.hold(caller(batcher))
        var callers: [Task<Bool, any Error>] = []
        for number in 0..<waiting {
            callers.append(await gate.queue(in: batcher, caller(batcher, isGood: number % 2 == 0)))
        }
        gate.open()
        #expect(try await held.value)
        for (number, caller) in callers.enumerated() { #expect(try await caller.value == (number % 2 == 0)) }
        let statistics = batcher.statistics
        // The one who was held, and all others or none.
        #expect(statistics.singles == (waiting < 3 ? 1 + waiting : 1))
        var sizes = [Int](repeating: 0, count: 8)
        if waiting >= 3 { sizes[waiting - 1] = 1 }
        #expect(statistics.batchesBySize == sizes)
    }

    @Test func `a signature that no lane takes is rejected at once, and counted`() async throws {
        let batcher = try batcher()
        let held = await gate.hold(caller(batcher))
        let good = try await Self.token()
        // An s of zero, which no signature has.
        let signature = Base64URL.encode(good.jws.signature.prefix(32) + [UInt8](repeating: 0, count: 32))
        let forged = "\(Self.signedPart).\(signature)"
        #expect(try await !batcher.isValid(SignedToken(try CompactJWS(parsing: forged), key: good.key)))
        #expect(batcher.statistics.waiting == 0 && batcher.statistics.singles == 1)
        gate.open()
        #expect(try await held.value)
    }
}
#endif
