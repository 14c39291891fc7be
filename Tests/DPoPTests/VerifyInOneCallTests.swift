// SPDX-License-Identifier: Apache-2.0

import DPoP
import JOSE
import OAuthSystem
import ProofSuite
import StrictJSON
import TestSupport
import Testing

@Suite("RFC 9449 section 4.3: every check in one call, with the replay store last")
struct VerifyInOneCallTests {
    private let scenario: Scenario
    private let verifier: DPoPProofVerifier
    private let store = MemoryReplayStore()

    init() throws {
        scenario = try Scenario()
        verifier = DPoPProofVerifier(policy: scenario.policy, nonces: scenario.nonces)
    }

    private func verify(
        _ fields: [String],
        method: String = "GET",
        uri: String = Scenario.uri,
        accessToken: String? = Scenario.accessToken,
        thumbprint: JWKThumbprint? = nil
    ) throws(DPoPError) -> VerifiedProof {
        try verifier.verify(
            fields,
            method: method,
            uri: uri,
            accessToken: accessToken,
            thumbprint: thumbprint,
            replay: store,
            at: scenario.now
        )
    }

    @Test func `thumbprint, header and payload of a good proof`() async throws {
        let verified = try verify([try await scenario.proof().signed()])
        #expect(verified.jwkThumbprint == scenario.key.publicKey.thumbprint.description)
        #expect(verified.jwkThumbprint.utf8.count == 43)
        #expect(verified.header["typ"] == "dpop+jwt")
        #expect(verified.payload["htm"] == "GET")
        #expect(verified.payload["ath"] == .string(Scenario.accessTokenHash))
        #expect(store.count == 1)
    }

    @Test func `a proof works once`() async throws {
        let text = try await scenario.proof().signed()
        _ = try verify([text])
        let error = failure { try verify([text]) }
        #expect(error?.code == .replayed)
        #expect(error?.step == .replay)
    }

    @Test func `a refused proof is not recorded`() async throws {
        let text = try await scenario.proof().signed()
        let other = try TestKey.p256(2).publicKey.thumbprint
        let errors = [
            failure { try verify([]) },
            failure { try verify([text, text]) },
            failure { try verify([text], method: "POST") },
            failure { try verify([text], uri: "https://api.example.com/you") },
            failure { try verify([text], accessToken: "another") },
            failure { try verify([text], thumbprint: other) },
        ]
        #expect(
            errors.map { $0?.step } == [.singleField, .singleField, .method, .targetURI, .accessTokenHash, .keyBinding]
        )
        #expect(failure { try verify([text], uri: "/me") }?.code == .invalidTargetURI)
        #expect(store.count == 0)
        _ = try verify([text])
    }

    @Test func `a store that does not answer refuses the proof`() async throws {
        struct Broken: ReplayStore {
            func insert(
                _ key: ReplayKey,
                until end: Timestamp,
                now: Timestamp,
                in epoch: ReplayEpoch?
            ) async throws -> ReplayInsertion {
                throw CancellationError()
            }
        }
        let text = try await scenario.proof().signed()
        let error = await asynchronousFailure {
            try await verifier.verify([text], method: "GET", uri: Scenario.uri, replay: Broken(), at: scenario.now)
        }
        #expect(error?.code == .replayStoreUnavailable)
    }

    @Test func `a store without room refuses the proof`() async throws {
        let text = try await scenario.proof().signed()
        let full = MemoryReplayStore(capacity: 0)
        let error = failure {
            try verifier.verify([text], method: "GET", uri: Scenario.uri, replay: full, at: scenario.now)
        }
        #expect(error?.code == .replayStoreUnavailable)
    }
}
