// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import DPoP
import HTTPMessage
import JOSE
import ServerStorage
import StrictJSON
import TestSupport
import Testing

@Suite("Codes that are bound to a key, RFC 9449 section 10: what server and client demand, against what is sent")
struct CodeBindingTests {
    /// Who demands bound codes.
    enum Demand: String, CaseIterable, Sendable {
        case nobody, theServer, theClientRegistration
    }

    /// What comes with the authorization request.
    enum Sent: String, CaseIterable, Sendable {
        case nothing, thumbprint, pushedThumbprint, pushedProof, pushedBoth, pushedMismatch, malformed
    }

    /// What comes with the token request.
    enum Shown: String, CaseIterable, Sendable {
        case noProof, sameKey, otherKey
    }

    /// What becomes of it: tokens of a type, or an error of one of the two endpoints.
    enum Outcome: Equatable {
        case tokens(String)
        case refusedRequest(String)
        case refusedCode(String)
    }

    private static func expected(_ demand: Demand, _ sent: Sent, _ shown: Shown) -> Outcome {
        switch (sent, shown) {
        case (.malformed, _): .refusedRequest("invalid_request")
        case (.pushedMismatch, _): .refusedRequest("invalid_dpop_proof")
        case (.nothing, _) where demand != .nobody: .refusedRequest("invalid_request")
        case (.nothing, .noProof): .tokens("Bearer")
        // A code that is bound to nothing is bound when it is exchanged.
        case (.nothing, _), (_, .sameKey): .tokens("DPoP")
        // attack 100, dpop_jkt_given_but_no_proof_at_token
        case (_, .noProof): .refusedCode("invalid_dpop_proof")
        // attack 99, dpop_jkt_mismatch_at_token
        case (_, .otherKey): .refusedCode("invalid_grant")
        }
    }

    @Test(arguments: Demand.allCases, Sent.allCases)
    func `attacks 99, 100, 101: each pair of settings gives tokens or the error that says what is missing`(
        _ demand: Demand,
        _ sent: Sent
    ) async throws {
        for shown in Shown.allCases {
            let outcome = try await outcome(demand, sent, shown)
            #expect(outcome == Self.expected(demand, sent, shown), "\(shown)")
        }
    }

    private func outcome(_ demand: Demand, _ sent: Sent, _ shown: Shown) async throws -> Outcome {
        let server = try await Self.server(demand)
        let key = try TestKey.p256(2)
        let client = FakeClient(server, clientID: "lax", key: key)
        var attempt = client.attempt()
        let jkt: String? =
            switch sent {
            case .nothing, .pushedProof: nil
            case .thumbprint, .pushedThumbprint, .pushedBoth: client.thumbprint
            case .pushedMismatch: try TestKey.p256(9).publicKey.thumbprint.description
            case .malformed: "x"
            }
        attempt.parameters = attempt.parameters.with("dpop_jkt", jkt)
        let browser = try await server.signedInBrowser()
        var target = client.directTarget(attempt)
        if sent.rawValue.hasPrefix("pushed") {
            let prover = client.with(key: sent == .pushedThumbprint ? nil : key)
            let pushed = try await prover.push(attempt)
            guard pushed.status == 201 else { return .refusedRequest(pushed.error ?? "") }
            let query: FormParameters = ["client_id": "lax", "request_uri": try pushed.string("request_uri")]
            target = "/authorize?" + query.encoded()
        }
        let page = await browser.get(target)
        guard page.status == 200 else { return .refusedRequest(try page.callback()["error"] ?? "") }
        let code = try #require(try await browser.decide("allow", on: page).callback()["code"])
        let shownKey: SoftwareSigningKey? =
            switch shown {
            case .noProof: nil
            case .sameKey: key
            case .otherKey: try TestKey.p256(9)
            }
        let answer = try await client.with(key: shownKey).redeem(code, attempt)
        guard answer.status == 200 else { return .refusedCode(answer.error ?? "") }
        return .tokens(try answer.string("token_type"))
    }

    private static func server(
        _ demand: Demand,
        nonces: DPoPNoncePolicy = .required,
        ofClient: DPoPNoncePolicy? = nil
    ) async throws -> ServerUnderTest {
        var client = try ServerUnderTest.client(
            "lax",
            redirectURIs: ["https://app.example.com/callback"],
            isBound: false
        )
        client.dpopBoundAuthorizationCodes = demand == .theClientRegistration
        client.noncePolicy = ofClient
        return try await ServerUnderTest.inMemory(clients: [client]) { configuration in
            configuration.requireDPoP = false
            configuration.noncePolicy = nonces
            configuration.requireBoundAuthorizationCodes = demand == .theServer
        }
    }

    @Test func `a client has the nonce policy that it is registered for, and others the server's`() async throws {
        let strict = try await Self.server(.nobody, nonces: .off, ofClient: .required)
        let client = FakeClient(strict, clientID: "lax", key: try TestKey.p256(2))
        let refused = try await client.postOnce("/par", client.attempt().parameters)
        expect(refused, isError: "use_dpop_nonce")
        #expect(refused.fields.values(for: "DPoP-Nonce").count == 1)
        let attempt = client.attempt()
        let tokens = try await client.redeem(try await client.code(for: attempt), attempt)
        #expect(tokens.json["token_type"] == "DPoP")
        let other = FakeClient(strict, key: try TestKey.p256(3))
        #expect(try await other.postOnce("/par", other.attempt().parameters).status == 201)

        let lax = try await Self.server(.nobody, nonces: .required, ofClient: .off)
        let free = FakeClient(lax, clientID: "lax", key: try TestKey.p256(2))
        #expect(try await free.postOnce("/par", free.attempt().parameters).status == 201)
        #expect(free.nonce == nil)
        let held = FakeClient(lax, key: try TestKey.p256(3))
        expect(try await held.postOnce("/par", held.attempt().parameters), isError: "use_dpop_nonce")
    }
}
