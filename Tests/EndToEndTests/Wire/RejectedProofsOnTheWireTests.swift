// SPDX-License-Identifier: Apache-2.0

import DPoP
import JOSE
import ProofSuite
import ServerStage
import TestSupport
import Testing

@Suite(
    "Attacks 65 to 98 over real sockets: proofs at the token endpoint, the pushed request endpoint and the API",
    .overSocketsOnEveryStore
)
struct RejectedProofsOnTheWireTests {
    /// Sends every proof of an attack to every endpoint.
    ///
    /// All are refused, and afterwards code, refresh token and access token are as good as before (attack 95).
    @Test(arguments: ProofAttack.all)
    func `trap 68: every proof that must be refused is refused, and nothing is consumed`(
        attack: ProofAttack
    ) async throws {
        let servers = try await WireServers.start(nonces: attack.nonces)
        let nonce = attack.nonces == .off ? nil : Scenario.secret
        let grant = try await Self.signIn(to: servers, nonce)
        var sent = 0
        for endpoint in WireEndpoint.allCases {
            for refused in attack.proofs where Self.applies(refused, attack, to: endpoint) {
                // Where one is not demanded, a good nonce would mend what is wrong.
                let own = attack.nonces == .required ? Self.nonce(nonce, endpoint, servers) : nil
                var builder = try servers.proof(for: endpoint, grant, nonce: own)
                var scenario = try Scenario()
                let values = try await refused.fields(&builder, &scenario)
                guard WireRequest.canCarry(values) else { continue }
                let response = try await servers.send(WireRequest(endpoint, grant).with(values))
                let isBound = scenario.expectation.thumbprint != nil
                Self.expectRefusal(of: response, refused, at: endpoint, isBound: isBound)
                sent += 1
            }
        }
        #expect(sent >= attack.proofs.count, "too few were sent")
        for endpoint in WireEndpoint.allCases {
            let honest = try await servers.honestRequest(
                endpoint,
                grant,
                nonce: Self.nonce(nonce, endpoint, servers)
            )
            let response = try await servers.send(honest)
            #expect(response.status == (endpoint == .pushed ? 201 : 200), "\(endpoint): \(response.text)")
        }
        await servers.stop()
    }

    private static func signIn(to servers: WireServers, _ secret: DPoPNonceSecret?) async throws -> WireGrant {
        try await servers.signIn(nonce: nonce(secret, .code, servers))
    }

    private static func nonce(
        _ secret: DPoPNonceSecret?,
        _ endpoint: WireEndpoint,
        _ servers: WireServers
    ) -> String? {
        secret.map {
            DPoPNonceIssuer(role: endpoint == .api ? .resourceServer : .authorizationServer, secrets: [$0])
                .nonce(at: servers.clock.now())
        }
    }

    /// Some proofs are wrong at one endpoint only.
    private static func applies(_ refused: RejectedProof, _ attack: ProofAttack, to endpoint: WireEndpoint) -> Bool {
        switch refused.testDescription {
        // RFC 9449 section 10.1: a pushed request needs no proof.
        case "no field": endpoint != .pushed
        case #"htm is "POST""#: endpoint == .api
        case "nonce: of the authorization server": endpoint == .api
        // These servers allow it.
        case "ES256 where only ES384 is allowed": false
        // Without an access token `ath` means nothing.
        default: attack.numbers != [89] || endpoint == .api
        }
    }

    private static func expectRefusal(
        of response: RawResponse,
        _ refused: RejectedProof,
        at endpoint: WireEndpoint,
        isBound: Bool
    ) {
        let name: Comment = "\(refused.testDescription) at \(endpoint): \(response.head) \(response.text)"
        #expect(response.status == (endpoint == .api ? 401 : 400), name)
        let codes =
            switch refused.code {
            case .nonceRequired: ["use_dpop_nonce"]
            // A bound token with another key; where nothing is bound the proof itself is wrong too.
            case .keyMismatch: ["invalid_token", "invalid_grant", "invalid_dpop_proof"]
            // The API compares the key before it verifies the signature.
            default: ["invalid_dpop_proof"] + (endpoint == .api && !isBound ? ["invalid_token"] : [])
            }
        #expect(codes.contains(response.error ?? ""), name)
        #expect((response.field("DPoP-Nonce") != nil) == (refused.code == .nonceRequired), name)
        #expect((response.field("WWW-Authenticate") != nil) == (endpoint == .api), name)
        #expect(response.field("Cache-Control") == "no-store", name)
        #expect(!response.text.contains("access_token"), name)
    }
}
