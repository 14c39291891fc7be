// SPDX-License-Identifier: Apache-2.0

import DPoP
import JOSE
import ProofSuite
import TestSupport
import Testing

@Suite("RFC 9449: proofs made and verified in one call each")
struct DPoPServiceTests {
    private let clock = FixedClock()
    private let key: SoftwareSigningKey
    private let uri = "https://api.example.com/me?page=1"

    init() throws {
        key = try TestKey.p256()
    }

    private func service(policy: ProofPolicy = ProofPolicy(nonces: .off), nonces: DPoPNonceIssuer? = nil) -> DPoPService
    {
        DPoPService(policy: policy, nonces: nonces, clock: clock, entropy: SeededEntropy())
    }

    @Test func `a proof goes round`() async throws {
        let service = service()
        let text = try await service.createProof(with: key, method: "GET", uri: uri, accessToken: Scenario.accessToken)
        let thumbprint = key.publicKey.thumbprint
        let proof = try await service.verifyProof(
            [text],
            method: "GET",
            uri: "https://api.example.com/me",
            accessToken: Scenario.accessToken,
            thumbprint: thumbprint
        )
        #expect(proof.thumbprint == thumbprint)
        #expect(proof.key == key.publicKey)
        #expect(proof.claims.htm == "GET")
        #expect(proof.claims.issuedAt == clock.now())
    }

    @Test func `a proof goes round once`() async throws {
        let service = service()
        let text = try await service.createProof(with: key, method: "GET", uri: uri)
        _ = try await service.verifyProof([text], method: "GET", uri: uri)
        let error = await asynchronousFailure { try await service.verifyProof([text], method: "GET", uri: uri) }
        #expect(error?.code == .replayed)
    }

    @Test func `each demand is checked`() async throws {
        let service = service()
        let text = try await service.createProof(with: key, method: "GET", uri: uri, accessToken: "one")
        let other = try TestKey.p256(2).publicKey.thumbprint
        let errors = [
            await asynchronousFailure { try await service.verifyProof([], method: "GET", uri: uri) },
            await asynchronousFailure { try await service.verifyProof([text], method: "POST", uri: uri) },
            await asynchronousFailure {
                try await service.verifyProof([text], method: "GET", uri: "https://api.example.com/you")
            },
            await asynchronousFailure {
                try await service.verifyProof([text], method: "GET", uri: uri, accessToken: "two")
            },
            await asynchronousFailure {
                try await service.verifyProof([text], method: "GET", uri: uri, thumbprint: other)
            },
        ]
        #expect(errors.map { $0?.step } == [.singleField, .method, .targetURI, .accessTokenHash, .keyBinding])
        clock.advance(by: .seconds(301))
        #expect(
            await asynchronousFailure { try await service.verifyProof([text], method: "GET", uri: uri) }?.step
                == .freshness
        )
    }

    @Test func `with nonces required only a proof with a nonce of the issuer passes`() async throws {
        let issuer = DPoPNonceIssuer(role: .resourceServer, secrets: [Scenario.secret])
        let service = service(policy: ProofPolicy(), nonces: issuer)
        let without = try await service.createProof(with: key, method: "GET", uri: uri)
        #expect(
            await asynchronousFailure { try await service.verifyProof([without], method: "GET", uri: uri) }?.code
                == .nonceRequired
        )
        let with = try await service.createProof(
            with: key,
            method: "GET",
            uri: uri,
            nonce: issuer.nonce(at: clock.now())
        )
        _ = try await service.verifyProof([with], method: "GET", uri: uri)
    }

    @Test func `with nonces required and no issuer nothing passes`() async throws {
        let service = service(policy: ProofPolicy())
        let issuer = DPoPNonceIssuer(role: .resourceServer, secrets: [Scenario.secret])
        for nonce in [nil, "", "x", issuer.nonce(at: clock.now())] {
            let text = try await service.createProof(with: key, method: "GET", uri: uri, nonce: nonce)
            #expect(
                await asynchronousFailure { try await service.verifyProof([text], method: "GET", uri: uri) }?.code
                    == .nonceRequired
            )
        }
    }

    @Test(arguments: ["", "/me", "urn:a:b", "https://user@api.example.com/"])
    func `a URI that no proof can be made for`(uri: String) async throws {
        let service = service()
        #expect(
            await asynchronousFailure { try await service.createProof(with: key, method: "GET", uri: uri) }?.code
                == .invalidTargetURI
        )
        #expect(
            await asynchronousFailure { try await service.verifyProof(["x"], method: "GET", uri: uri) }?.code
                == .invalidTargetURI
        )
    }
}
