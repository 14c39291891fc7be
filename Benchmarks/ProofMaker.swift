// SPDX-License-Identifier: Apache-2.0

import DPoP

/// Makes the proofs of one key as a client does, through the public API.
struct ProofMaker {
    private let factory: DPoPProofFactory
    private let uri: TargetURI
    private let nonce: String

    init(_ scenario: ProofScenario) throws {
        factory = DPoPProofFactory(key: scenario.keys[0])
        uri = try TargetURI(parsing: ProofScenario.uri)
        nonce = scenario.nonces.nonce(at: scenario.now)
    }

    func make() async throws -> String {
        try await factory.proof(method: "GET", targetURI: uri, accessToken: ProofScenario.accessToken, nonce: nonce)
    }
}
