// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import JOSE
import StrictJSON
import Synchronization
import TestSupport
import Testing

@testable import BatchVerification

@Suite("Eight signatures at once: the same answers")
struct SignatureBatcherTests {
    private static let algorithms: [SignatureAlgorithm] = [.es256, .es384, .edDSA, .ed25519]

    private static func key(_ algorithm: SignatureAlgorithm, _ number: UInt8) throws -> SoftwareSigningKey {
        let bytes = [UInt8](repeating: number, count: algorithm == .es384 ? 48 : 32)
        return try SoftwareSigningKey(privateKeyBytes: bytes, algorithm: algorithm, protection: .memory)
    }

    private static func tokens(_ algorithm: SignatureAlgorithm, _ count: Int) async throws -> [(CompactJWS, JWK)] {
        let keys = try (1...8).map { try key(algorithm, UInt8($0)) }
        var tokens: [(CompactJWS, JWK)] = []
        for number in 0..<count {
            let payload = Array("token \(number)\(String(repeating: "+", count: number % 300))".utf8)
            let text = try await CompactJWS.sign(header: [:], payload: payload, with: keys[number % 8])
            tokens.append((try CompactJWS(parsing: text), keys[number % 8].publicKey))
        }
        return tokens
    }

    /// A random change: a bit of the signature or the message, another key, or none.
    private static func changed(
        _ token: (CompactJWS, JWK),
        _ keys: [JWK],
        _ generator: inout SeededGenerator
    ) throws -> SignedToken {
        var (signature, message) = (token.0.signature, token.0.signingInput)
        var key = token.1
        switch UInt8.random(in: 0..<6, using: &generator) {
        case 0:
            signature[Int.random(in: 0..<signature.count, using: &generator)] ^=
                1 << UInt8.random(in: 0..<8, using: &generator)
        case 1:
            let start = signature.count / 2 * Int.random(in: 0...1, using: &generator)
            let octet: UInt8 = Bool.random(using: &generator) ? 0 : 0xFF
            for index in start..<start + signature.count / 2 { signature[index] = octet }
        case 2: key = keys[Int.random(in: 0..<keys.count, using: &generator)]
        case 3: message += Array("AAAA".utf8)
        default: break
        }
        let text = String(decoding: message, as: UTF8.self) + "." + Base64URL.encode(signature)
        return SignedToken(try CompactJWS(parsing: text), key: key)
    }

    @Test(.computesForLong, arguments: algorithms)
    func `every token at the edges, in each lane, between good ones`(algorithm: SignatureAlgorithm) async throws {
        guard let backend = try TestLanes.backend() else { return }
        let batcher = SignatureBatcher(backend)
        let good = try await Self.tokens(algorithm, 1)[0]
        var tried = 0
        for vector in SignatureVector.all(of: algorithm) {
            guard let key = try? JWK(parsingUnchecked: vector.jwk) else { continue }
            let jws = try CompactJWS(parsing: vector.jws)
            tried += 1
            for lane in 0..<8 {
                var tokens = (0..<8).map { _ in SignedToken(good.0, key: good.1) }
                tokens[lane] = SignedToken(jws, key: key)
                var expected = [Bool](repeating: true, count: 8)
                expected[lane] = vector.outcome == .accepted
                #expect(batcher.areValid(tokens) == expected, "\(vector), lane \(lane)")
            }
        }
        #expect(tried > 60)
        #expect(batcher.statistics.singles == 0)
    }

    /// `KEYBOUND_LANE_CASES` says how many, for a run of a million.
    @Test(.computesForLong, arguments: algorithms.dropLast())
    func `random tokens, in groups of one to twenty, as one after the other`(algorithm: SignatureAlgorithm) async throws
    {
        let variable = ProcessInfo.processInfo.environment["KEYBOUND_LANE_CASES"].flatMap(Int.init)
        let batcher = SignatureBatcher(try TestLanes.backend())
        let originals = try await Self.tokens(algorithm, 64)
        let keys = originals.map(\.1)
        var generator = SeededGenerator(seed: 7)
        var left = variable ?? (algorithm == .es384 ? 1000 : 8000)
        var accepted = 0
        while left > 0 {
            let tokens = try (0..<Int.random(in: 1...20, using: &generator)).map { _ in
                try Self.changed(originals[Int.random(in: 0..<64, using: &generator)], keys, &generator)
            }
            let expected = tokens.map { $0.isSigned() }
            #expect(batcher.areValid(tokens) == expected)
            accepted += expected.filter(\.self).count
            left -= tokens.count
        }
        #expect(accepted > 100)
    }

    @Test func `a group of several algorithms gets its answers in order`() async throws {
        let batcher = SignatureBatcher(try TestLanes.backend())
        var tokens: [SignedToken] = []
        var expected: [Bool] = []
        for number in 0..<10 {
            for algorithm in Self.algorithms + [.es512] {
                let key = try algorithm == .es512 ? SoftwareSigningKey(generating: .es512) : Self.key(algorithm, 3)
                let text = try await CompactJWS.sign(header: [:], payload: [UInt8(number)], with: key)
                let isGood = (number + tokens.count) % 3 != 0
                let jws = try CompactJWS(parsing: isGood ? text : String(text.dropLast(8)) + "AAAAAAAA")
                tokens.append(SignedToken(jws, key: key.publicKey))
                expected.append(isGood)
            }
        }
        #expect(batcher.areValid(tokens) == expected)
        #expect(SignatureBatcher(nil).areValid(tokens) == expected)
    }

    @Test(arguments: [1, 2, 4])
    func `64 callers at once get each its own answer, and meet`(verifiers: Int) async throws {
        let backend = try TestLanes.backend()
        let batcher = SignatureBatcher(backend, verifiers: verifiers, capacity: 40)
        let originals = try await Self.tokens(.es256, 64)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for caller in 0..<64 {
                group.addTask { @concurrent in
                    for round in 0..<10 {
                        let token = originals[(caller + round) % 64]
                        let isGood = (caller + round) % 3 != 0
                        let key = isGood ? token.1 : originals[(caller + round + 1) % 64].1
                        let verdict = try await batcher.isValid(SignedToken(token.0, key: key))
                        #expect(verdict == isGood)
                    }
                }
            }
            try await group.waitForAll()
        }
        guard backend != nil else { return }
        #expect(batcher.statistics.batches > 0)
        #expect(batcher.statistics.singles + batcher.statistics.batched <= 640)
    }

    /// One at a time, each after the other: nobody is suspended, so nothing else gets a turn.
    @Test func `who is alone is not suspended`() async throws {
        let batcher = SignatureBatcher(try TestLanes.backend(), verifiers: 1, capacity: 8) {
            // Always the same moment would mean that others are about.
            .now.advanced(by: .seconds(Seconds.next()))
        }
        let token = try await Self.tokens(.es256, 1)[0]
        let suspensions = try await CountingExecutor.suspensions {
            for _ in 0..<20 {
                let isSigned = try await batcher.isValid(SignedToken(token.0, key: token.1))
                #expect(isSigned)
            }
        }
        #expect(suspensions == 0)
        #expect(batcher.statistics.batches == 0)
    }

    @Test func `a task that is suspended is noticed`() async throws {
        let suspensions = try await CountingExecutor.suspensions { for _ in 0..<3 { await Task.yield() } }
        #expect(suspensions >= 3)
    }

    /// Always the same moment: others must be about, so the caller steps back.
    @Test func `who may have company is suspended`() async throws {
        guard let backend = try TestLanes.backend() else { return }
        let moment = ContinuousClock.now
        let batcher = SignatureBatcher(backend, verifiers: 1, capacity: 8) { moment }
        let token = try await Self.tokens(.es256, 1)[0]
        let suspensions = try await CountingExecutor.suspensions {
            for _ in 0..<2 { _ = try await batcher.isValid(SignedToken(token.0, key: token.1)) }
        }
        #expect(suspensions >= 1)
    }

    private enum Seconds {
        private static let count = Atomic<Int>(0)
        static func next() -> Int { count.add(1, ordering: .relaxed).newValue }
    }

    @Test func `who gives up while he waits is told so, and everybody else is answered`() async throws {
        guard let backend = try TestLanes.backend() else { return }
        let batcher = SignatureBatcher(backend, verifiers: 1)
        let originals = try await Self.tokens(.es256, 64)
        let outcomes = await withTaskGroup(of: Bool?.self) { group in
            for caller in 0..<256 {
                group.addTask { @concurrent in
                    let token = originals[caller % 64]
                    let task = Task { try await batcher.isValid(SignedToken(token.0, key: token.1)) }
                    if caller % 2 == 1 { task.cancel() }
                    do {
                        return try await task.value
                    } catch {
                        return caller % 2 == 1 ? nil : false
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count == 256)
        #expect(!outcomes.contains(false))
        #expect(outcomes.filter { $0 == true }.count >= 128)
    }

    @Test func `without the library everything is verified one by one`() async throws {
        let batcher = SignatureBatcher(nil)
        let token = try await Self.tokens(.es256, 2)
        let own = try await batcher.isValid(SignedToken(token[0].0, key: token[0].1))
        let others = try await batcher.isValid(SignedToken(token[0].0, key: token[1].1))
        #expect(own && !others)
        #expect(batcher.statistics == SignatureBatchStatistics())
    }

    @Test func `timeout, steps back while it gathers, less and less while it does not, and never when idle`() {
        var timeout = BatchingPolicy()
        var now = ContinuousClock.now
        func arrive(after gap: Duration) -> Bool {
            now += gap
            return timeout.shouldGather(at: now)
        }
        #expect(!arrive(after: .zero))
        #expect(arrive(after: .microseconds(40)))
        timeout.gathered(enough: true)
        #expect(arrive(after: .microseconds(40)))
        timeout.gathered(enough: false)
        for pause in [8, 16, 32] {
            for _ in 0..<pause { #expect(!arrive(after: .microseconds(40))) }
            #expect(arrive(after: .microseconds(40)))
            timeout.gathered(enough: false)
        }
        timeout.gathered(enough: true)
        for _ in 0..<5 { #expect(!arrive(after: BatchingPolicy.idleGap)) }
        // Long work is no idleness.
        now += .milliseconds(2)
        timeout.seen(at: now)
        #expect(arrive(after: .microseconds(10)))
    }
}
#endif
