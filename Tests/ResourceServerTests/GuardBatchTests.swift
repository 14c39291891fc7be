// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import BatchVerification
import DPoP
import HTTPMessage
import JOSE
import OAuthSystem
import ResourceServer
import StrictJSON
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
        let batcher = SignatureBatcher(try TestLanes.backend(), verifiers: 1)
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
        guard batcher.backend != nil else { return }
        // 64 access tokens, and the proofs of the 48 that are good.
        #expect(batcher.statistics.singles + batcher.statistics.batched == 112)
    }

    /// Every moment is a second after the one before: nobody is about.
    @Test func `a request that is alone is not suspended more often than without`() async throws {
        let seconds = Atomic<Int>(0)
        let backend = try TestLanes.backend()
        let start = ContinuousClock.now
        let batcher = SignatureBatcher(backend, verifiers: 1, capacity: 8) {
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

    /// A guard that has proofs verified, or access tokens too.
    private func requestGuard(_ api: GuardedAPI, _ batcher: SignatureBatcher, ofProofs: Bool) throws -> RequestGuard {
        guard ofProofs else { return api.requestGuard }
        var configuration = GuardConfiguration(
            issuer: GuardedAPI.issuer,
            address: try URI(parsing: GuardedAPI.address)
        )
        configuration.proofs.nonces = .off
        configuration.signatures = batcher
        let reader = TrustingReader(claims: try JWTClaims(api.tokenClaims()))
        return try RequestGuard(configuration: configuration, accessTokens: reader, clock: api.clock)
    }

    /// For access tokens and for proofs.
    @Test(arguments: [false, true])
    func `a request that is given up while it waits is answered with 503, those beside it and beyond with 200`(
        ofProofs: Bool
    ) async throws {
        guard let backend = try TestLanes.backend() else { return }
        let gate = VerifierGate()
        let batcher = SignatureBatcher(backend, verifiers: 1, capacity: 2) { gate.now() }
        let api = try GuardedAPI { $0.signatures = batcher }
        let requestGuard = try requestGuard(api, batcher, ofProofs: ofProofs)
        func status(_ request: HTTPRequest) -> @Sendable () async -> Int {
            {
                switch await requestGuard.check(request) {
                case .accepted: 200
                case .rejected(let rejection): rejection.response.status
                }
            }
        }
        // The second time, the place of the one that was given up is free again.
        for _ in 0..<2 {
            let held = await gate.hold(status(try await api.honestRequest()))
            // The first of those who wait verifies for the second one.
            let next = await gate.queue(in: batcher, status(try await api.honestRequest()))
            let givenUp = await gate.queue(in: batcher, status(try await api.honestRequest()))
            #expect(batcher.statistics.waiting == 2)
            // No place is left: it is verified by itself.
            #expect(await status(try await api.honestRequest())() == 200)
            givenUp.cancel()
            gate.open()
            #expect(try await held.value == 200)
            #expect(try await next.value == 200)
            #expect(try await givenUp.value == 503)
            #expect(batcher.statistics.waiting == 0)
        }
    }
}
#endif
