// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import DPoP
import HTTPMessage
import JOSE
import ResourceServer
import Synchronization
import TestSupport
import Testing

@Suite("Requests whose signatures are verified together")
struct GuardBatchTests {
    /// Good requests, forged tokens and forged proofs by turns, with the status that each must get.
    private func requests(_ api: GuardedAPI, _ count: Int) async throws -> [(HTTPRequest, Int)] {
        let other = try TestKey.p256(3)
        var requests: [(HTTPRequest, Int)] = []
        for number in 0..<count {
            switch number % 4 {
            case 1:
                let token = try await api.accessToken(signedBy: other)
                requests.append((api.request(token, try await api.proof(for: token)), 401))
            case 2:
                let token = try await api.accessToken()
                let proof = try await api.proof(
                    for: token,
                    header: ["typ": "dpop+jwt", "jwk": .object(api.clientKey.publicKey.json)],
                    signedBy: other
                )
                requests.append((api.request(token, proof), 401))
            default:
                requests.append((try await api.honestRequest(), 200))
            }
        }
        return requests
    }

    @Test func `each gets the answer that it gets alone, and both of its signatures are counted`() async throws {
        let batcher = SignatureBatcher(try TestLanes.accelerator(), verifiers: 1)
        let api = try GuardedAPI { $0.signatures = batcher }
        let requests = try await requests(api, 64)
        await withTaskGroup(of: Void.self) { group in
            for (request, status) in requests {
                group.addTask { @concurrent in
                    let answer = await api.send(request)
                    #expect(answer.status == status)
                }
            }
        }
        #expect(api.recordedProofs == 32)
        guard batcher.accelerator != nil else { return }
        // 64 access tokens, and the proofs of the 48 that are good.
        #expect(batcher.statistics.singles + batcher.statistics.batched == 112)
    }

    /// Every moment is a second after the one before: nobody is about.
    @Test func `a request that is alone is not suspended more often than without`() async throws {
        let seconds = Atomic<Int>(0)
        let accelerator = try TestLanes.accelerator()
        let start = ContinuousClock.now
        let batcher = SignatureBatcher(accelerator, verifiers: 1, capacity: 8) {
            start.advanced(by: .seconds(seconds.add(1, ordering: .relaxed).newValue))
        }
        var suspensions: [Int] = []
        for signatures in [nil, batcher] {
            let api = try GuardedAPI { $0.signatures = signatures }
            let requests = try await requests(api, 12)
            suspensions.append(
                try await CountingExecutor.suspensions {
                    for (request, status) in requests { #expect(await api.send(request).status == status) }
                }
            )
        }
        #expect(suspensions == [0, 0])
    }

    /// Takes tokens as they are, so that only proofs are verified.
    private struct TrustingReader: AccessTokenReader {
        let claims: JWTClaims
        func claims(of accessToken: String, at now: Timestamp) async throws -> JWTClaims? { claims }
    }

    /// Holds the first one that verifies, until it is opened or ten seconds passed: by the clock, which it reads last.
    private final class Gate: Sendable {
        private let reads = Atomic<Int>(0)
        private let opened = Atomic<Bool>(false)

        /// Whether somebody is held.
        var isClosed: Bool { reads.load(ordering: .sequentiallyConsistent) >= 2 }

        func open() { opened.store(true, ordering: .sequentiallyConsistent) }

        func now() -> ContinuousClock.Instant {
            if reads.add(1, ordering: .sequentiallyConsistent).newValue == 2 {
                for _ in 0..<10_000 where !opened.load(ordering: .sequentiallyConsistent) { usleep(1000) }
            }
            return .now
        }
    }

    private func waiting(_ batcher: SignatureBatcher, _ count: Int) async {
        for _ in 0..<10_000 where batcher.statistics.waiting < count {
            try? await Task.sleep(for: .milliseconds(1))
        }
        #expect(batcher.statistics.waiting == count)
    }

    /// For access tokens and for proofs; one after the other, since a thread is held meanwhile.
    @Test func `a request that is given up while it waits is answered with 503, and its neighbours with 200`()
        async throws
    {
        guard let accelerator = try TestLanes.accelerator() else { return }
        for isProof in [false, true] {
            let gate = Gate()
            let batcher = SignatureBatcher(accelerator, verifiers: 1, capacity: 8) { gate.now() }
            let api = try GuardedAPI { $0.signatures = batcher }
            let reader = TrustingReader(claims: try JWTClaims(api.tokenClaims()))
            var configuration = GuardConfiguration(
                issuer: GuardedAPI.issuer,
                address: try URI(parsing: GuardedAPI.address)
            )
            configuration.proofs.nonces = .off
            configuration.signatures = batcher
            let ofProofs = try RequestGuard(configuration: configuration, accessTokens: reader, clock: api.clock)
            let requestGuard = isProof ? ofProofs : api.requestGuard
            let requests = [
                try await api.honestRequest(), try await api.honestRequest(), try await api.honestRequest(),
            ]
            func status(of request: HTTPRequest) -> Task<Int, Never> {
                Task { @concurrent in
                    switch await requestGuard.judge(request) {
                    case .accepted: 200
                    case .refused(let response): response.status
                    }
                }
            }
            let held = status(of: requests[0])
            for _ in 0..<10_000 where !gate.isClosed { try await Task.sleep(for: .milliseconds(1)) }
            // The first of those who wait verifies for the second one.
            let next = status(of: requests[1])
            await waiting(batcher, 1)
            let givenUp = status(of: requests[2])
            await waiting(batcher, 2)
            givenUp.cancel()
            gate.open()
            #expect(await held.value == 200)
            #expect(await next.value == 200)
            #expect(await givenUp.value == 503)
        }
    }
}
#endif
