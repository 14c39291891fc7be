// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
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
    func `trap 68: every proof that must be rejected is rejected, and nothing is consumed`(
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
                _ = servers.audit.take()
                let response = try await servers.send(WireRequest(endpoint, grant).with(values))
                let isBound = scenario.expectation.thumbprint != nil
                Self.expectRefusal(of: response, refused, at: endpoint, isBound: isBound)
                Self.expectStep(of: refused, attack, at: endpoint, isBound: isBound, response, servers.audit.take())
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
        // Nothing is bound yet: the request is of whoever sends it.
        case "a proof of another key": endpoint != .pushed
        case #"htm is "POST""#: endpoint == .api
        case "nonce: of the authorization server": endpoint == .api
        // These servers allow it.
        case "ES256 where only ES384 is allowed": false
        // Without an access token `ath` means nothing.
        default: attack.numbers != [89] || endpoint == .api
        }
    }

    /// The step that rejects a proof is the one that the case names: at the authorization server by its audit event, at the API by
    /// the reason in the challenge.
    private static func expectStep(
        of refused: RejectedProof,
        _ attack: ProofAttack,
        at endpoint: WireEndpoint,
        isBound: Bool,
        _ response: RawResponse,
        _ events: [AuditEvent]
    ) {
        let name: Comment = "\(refused.testDescription) at \(endpoint): \(response.head) \(response.text) \(events)"
        guard refused.code != .nonceRequired else { return }
        let step = step(of: refused, attack, at: endpoint, isBound: isBound)
        guard endpoint != .api else {
            // A field that is missing, and a key that is not the bound one, have a challenge without reason.
            guard step != .singleField, step != .keyBinding else { return }
            let reason = response.field("WWW-Authenticate") ?? ""
            #expect(reasons(of: step).contains { reason.contains($0) }, name)
            return
        }
        guard step != .keyBinding else { return }
        #expect(events.contains { $0.kind == .proofRejected && $0.detail == step.name }, name)
    }

    /// Where servers have other settings than the scenario of a proof, another step comes first.
    private static func step(
        of refused: RejectedProof,
        _ attack: ProofAttack,
        at endpoint: WireEndpoint,
        isBound: Bool
    ) -> ProofStep {
        // These servers allow no RSA keys, nor an algorithm that only the scenario allows.
        if attack.numbers == [76] { return .algorithm }
        if refused.testDescription.hasSuffix("although the policy allows it") { return .algorithm }
        // The API compares the key before it verifies the signature.
        if endpoint == .api, !isBound, refused.step == .signature { return .keyBinding }
        return refused.step
    }

    /// What the step says, without what it says of a single proof.
    private static func reasons(of step: ProofStep) -> [String] {
        switch step {
        case .wellFormed: ["the proof is not a JWT"]
        case .type: ["'typ' is not dpop+jwt"]
        case .algorithm: ["'alg' is not one of", "'alg'"]
        case .publicKey: ["'jwk'"]
        case .signature: ["the signature does not verify"]
        case .requiredClaims: ["'jti'", "'htm'", "'htu'", "'iat'", "'ath'", "'nonce'", "'exp'", "'nbf'"]
        case .method: ["'htm' is not the method"]
        case .targetURI: ["'htu'"]
        case .validityPeriod: ["past its 'exp'", "before its 'nbf'"]
        case .accessTokenHash: ["'ath'"]
        case .freshness: ["'iat' is too far"]
        default: []
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
