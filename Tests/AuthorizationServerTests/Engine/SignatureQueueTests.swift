// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import AuthorizationServer
import BatchVerification
import HTTPMessage
import JOSE
import TestSupport
import Testing

@Suite("Signatures that wait together at the token endpoint")
struct SignatureQueueTests {
    /// A sign-in of which all but the tokens is done.
    private func redemption(_ server: ServerUnderTest) async throws -> @Sendable () async throws -> HTTPResponse {
        let client = try FakeClient(server)
        try await client.fetchNonce()
        let attempt = client.attempt()
        let code = try await client.code(for: attempt)
        return { try await client.redeem(code, attempt) }
    }

    @Test func `a request that is given up while its proof waits is answered with 503, and its code still works`()
        async throws
    {
        guard let backend = try TestLanes.backend() else { return }
        let gate = VerifierGate()
        let batcher = SignatureBatcher(backend, verifiers: 1, capacity: 2) { gate.now() }
        let server = try await ServerUnderTest.inMemory { $0.signatures = batcher }
        // The second time, the place of the one that was given up is free again.
        for _ in 0..<2 {
            let abandoned = try await redemption(server)
            let (first, second, late) = (
                try await redemption(server), try await redemption(server), try await redemption(server)
            )
            let held = await gate.hold(first)
            let next = await gate.queue(in: batcher, second)
            let givenUp = await gate.queue(in: batcher, abandoned)
            #expect(batcher.statistics.waiting == 2)
            // No place is left: it is verified by itself.
            #expect(try await late().status == 200)
            givenUp.cancel()
            gate.open()
            #expect(try await held.value.status == 200)
            #expect(try await next.value.status == 200)
            let refused = try await givenUp.value
            #expect(refused.status == 503 && refused.fields["Retry-After"] == "2", "\(refused.text)")
            #expect(batcher.statistics.waiting == 0)
            #expect(try await abandoned().status == 200)
        }
    }

    @Test func `a token that is exchanged is verified where all others are`() async throws {
        guard let lanes = try TestLanes.backend() else { return }
        let gate = VerifierGate()
        let batcher = SignatureBatcher(lanes, verifiers: 1, capacity: 2) { gate.now() }
        let server = try await ExchangeClient.server { $0.signatures = batcher }
        let token = try await ExchangeClient.personsToken(server).string("access_token")
        let backend = try ExchangeClient(server)
        try await backend.prover.fetchNonce()
        func verified() -> Int { batcher.statistics.singles + batcher.statistics.batched }
        let before = verified()
        #expect(try await backend.exchange(token).status == 200)
        // The proof, and the token.
        #expect(verified() == before + 2)
        let forged = String(token.dropLast(8)) + "AAAAAAAA"
        expect(try await backend.exchange(forged), isError: "invalid_request")
        #expect(verified() == before + 4)
    }
}
#endif
