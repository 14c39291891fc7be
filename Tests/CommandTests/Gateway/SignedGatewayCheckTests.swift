// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import TestSupport
import Testing

@testable import KeyboundCommand

@Suite("Gateway: the check with a token")
struct SignedGatewayCheckTests {
    private static let otherURLs = [
        "a proof for another path", "a proof for another host", "a proof for another scheme",
        "a proof for another port", "another final slash than the proof's",
    ]

    /// What the check with one token and key finds at an API.
    private func findings(at api: LenientAPI) async throws -> [GatewayFinding] {
        let url = CheckedURL(url: try URI(parsing: LenientAPI.origin + "/notes"), transport: api, changing: api)
        var check = SignedGatewayCheck(
            url,
            echoPath: "/notes",
            token: "head.body.signature",
            key: try TestKey.p256(2),
            stranger: try TestKey.p256(3)
        )
        return try await check.findings()
    }

    private func verdicts(_ missing: LenientAPI.Check?) async throws -> [String: GatewayFinding.Verdict] {
        let key = try TestKey.p256(2)
        let api = LenientAPI(without: missing, token: "head.body.signature", key: key.publicKey.thumbprint)
        let findings = try await findings(at: api)
        #expect(Set(findings.map(\.name)).count == findings.count)
        #expect(findings.allSatisfy { !$0.line.contains("signature") })
        return Dictionary(uniqueKeysWithValues: findings.map { ($0.name, $0.verdict) })
    }

    @Test func `a guard that checks everything has no weakness`() async throws {
        let verdicts = try await verdicts(nil)
        #expect(verdicts.count > 35)
        #expect(verdicts.filter { $0.value != .ok } == [:])
    }

    @Test(arguments: LenientAPI.Check.allCases)
    func `attack: each check that is missing is found out, by name`(_ missing: LenientAPI.Check) async throws {
        let expected: [String] =
            switch missing {
            case .method: ["the method TRACE with a proof for it", "the method get with a proof for it"]
            case .query: ["a second token in the query"]
            case .tokenCount: ["two tokens"]
            case .scheme: ["the token as Bearer", "the token as Bearer, with a proof"]
            case .token: ["a changed token"]
            case .proofCount: ["two proofs"]
            case .proof: ["no proof"]
            case .signature: ["a changed proof"]
            case .key: ["a proof by another key"]
            case .htm: ["a proof for another method", "HEAD with a proof for GET"]
            case .htu: Self.otherURLs
            case .ath: ["a proof for another token"]
            case .nonce: ["a proof without a nonce"]
            case .madeUpNonce: ["a proof with a made-up nonce"]
            case .replay: ["the same proof again", "one proof, twice at once"]
            case .identity: GatewayCheck.strippedNames.map { "\($0) at the API, with a good request" }
            case .authorizationField: ["Authorization at the API"]
            case .proofField: ["DPoP at the API"]
            case .secrecy: ["the gateway's fields in the answer"]
            case .protocolChange: ["a change to HTTP/2 (h2c) with a good request"]
            }
        let verdicts = try await verdicts(missing)
        #expect(Set(verdicts.filter { $0.value == .weak }.keys) == Set(expected))
        #expect(verdicts.values.allSatisfy { $0 != .unknown })
    }

    @Test func `when good requests are rejected, nothing is concluded, and the reason is given`() async throws {
        let key = try TestKey.p256(2)
        let api = LenientAPI(without: nil, token: "another", key: key.publicKey.thumbprint)
        let findings = try await findings(at: api)
        #expect(findings.map(\.name) == ["a good request"])
        #expect(findings[0].verdict == .unknown)
        #expect(findings[0].detail.contains("the answer is 401"))
        #expect(api.requests == 1)
    }
}
