// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthSystem
import ProofSuite
import StrictJSON
import TestSupport
import Testing

@testable import DPoP

@Suite("RFC 9449: the examples")
struct DPoPVectorTests {
    private static let proofs = RFCVector.all("dpop-proof")
    private let verifier = DPoPProofVerifier(
        policy: ProofPolicy(nonces: .off),
        nonces: DPoPNonceIssuer(role: .resourceServer, secrets: [])
    )

    private func expectation(of vector: RFCVector) throws -> ExpectedRequest {
        ExpectedRequest(
            method: try vector.string("method"),
            targetURI: try TargetURI(parsing: vector.string("url")),
            accessToken: vector.object["access_token"]?.stringValue,
            thumbprint: try JWKThumbprint(vector.string("jkt"))
        )
    }

    private func issuedAt(_ vector: RFCVector) throws -> Timestamp {
        Timestamp(secondsSince1970: try #require(try vector.object("claims")["iat"]?.integerValue))
    }

    @Test func `the examples are there`() {
        #expect(Self.proofs.count == 3)
        #expect(RFCVector.all("ath").count == 1)
        #expect(RFCVector.all("dpop-claims").count == 1)
        #expect(RFCVector.all("access-token-jwt").count == 1)
    }

    @Test(arguments: proofs)
    func `a published proof is accepted at its time, and has the published parts`(vector: RFCVector) throws {
        let (time, jwt) = (try issuedAt(vector), try vector.string("jwt"))
        let proof = try verifier.check([jwt], against: expectation(of: vector), at: time)
        #expect(try proof.header == vector.object("header"))
        #expect(try proof.payload == vector.object("claims"))
        #expect(try proof.thumbprint.description == vector.string("jkt"))
        #expect(proof.claims.issuedAt == time)
        for seconds in [-30, 300] {
            #expect(throws: Never.self) {
                try verifier.check([jwt], against: expectation(of: vector), at: time + .seconds(seconds))
            }
        }
    }

    @Test(arguments: proofs)
    func `a published proof is rejected at another time, for another request and token`(vector: RFCVector) throws {
        let (time, jwt, expected) = (try issuedAt(vector), try vector.string("jwt"), try expectation(of: vector))
        for seconds in [-31, 301] {
            #expect(
                failure { try verifier.check([jwt], against: expected, at: time + .seconds(seconds)) }?.step
                    == .freshness
            )
        }
        let changes: [(ProofStep, (inout ExpectedRequest) throws -> Void)] = [
            (.method, { $0.method = "PUT" }),
            (.targetURI, { $0.targetURI = try TargetURI(parsing: "https://server.example.com/other") }),
            (.accessTokenHash, { $0.accessToken = "another token" }),
            (.keyBinding, { $0.thumbprint = try TestKey.p256().publicKey.thumbprint }),
        ]
        for (step, change) in changes {
            var other = expected
            try change(&other)
            #expect(failure { try verifier.check([jwt], against: other, at: time) }?.step == step)
        }
    }

    @Test func `the proof of figure 7 repeats the jti of figure 2, which is a replay while both are remembered`() throws
    {
        let store = MemoryReplayStore()
        let (first, second) = (Self.proofs[0], Self.proofs[1])
        let time = try issuedAt(first)
        let checked = try verifier.check([first.string("jwt")], against: expectation(of: first), at: time)
        let later = try issuedAt(second)
        let again = try verifier.check([second.string("jwt")], against: expectation(of: second), at: later)
        #expect(checked.replayKey == again.replayKey)
        try verifier.record(checked, in: store, at: time)
        #expect(failure { try verifier.record(again, in: store, at: time) }?.code == .replayed)
        // They are 2680 s apart: when the second is made, the first is past.
        try verifier.record(again, in: store, at: later)
    }

    @Test(arguments: RFCVector.all("ath"))
    func `ath`(vector: RFCVector) throws {
        var ath: [UInt8] = []
        try AccessTokenHash.append(for: vector.string("access_token"), to: &ath)
        #expect(try String(decoding: ath, as: UTF8.self) == vector.string("ath"))
    }

    @Test(arguments: RFCVector.all("access-token-jwt"))
    func `attack 112, the access token of figure 8 is no proof`(vector: RFCVector) throws {
        let expected = try expectation(of: Self.proofs[2])
        let error = failure {
            try verifier.check([try vector.string("jwt")], against: expected, at: try issuedAt(Self.proofs[2]))
        }
        #expect(error?.step == .type)
    }

    @Test(arguments: RFCVector.all("dpop-claims"))
    func `the claims of figure 21 are read, and their nonce is not one of ours`(vector: RFCVector) async throws {
        let key = try TestKey.p256()
        let claims = try vector.object("claims")
        let header = ProofBuilder(key: key, method: "", uri: "", at: Scenario.now).header
        let text = try await RawJWS.sign(
            header: JSONValue.object(header).encoded(),
            payload: JSONValue.object(claims).encoded(),
            with: key
        )
        let expected = try ExpectedRequest(
            method: "POST",
            targetURI: TargetURI(parsing: "https://server.example.com/token")
        )
        let time = Timestamp(secondsSince1970: 1_562_262_616)
        #expect(try verifier.check([text], against: expected, at: time).claims.nonce == "eyJ7S_zG.eyJH0-Z.HX4w-7v")
        let issuer = DPoPNonceIssuer(role: .authorizationServer, secrets: [Scenario.secret])
        let demanding = DPoPProofVerifier(nonces: issuer)
        #expect(failure { try demanding.check([text], against: expected, at: time) }?.code == .nonceRequired)
    }

    @Test func `a client takes the nonce of figures 20 and 24`() async throws {
        for vector in RFCVector.all("token-error") + RFCVector.all("www-authenticate") {
            guard let nonce = vector.object["dpop_nonce"]?.stringValue else { continue }
            let context = DPoPContext(key: try TestKey.p256(), clock: FixedClock(), entropy: SeededEntropy())
            let uri = try URI(parsing: "https://server.example.com/token")
            let proof = try await context.proof(method: "POST", uri: uri, role: .authorizationServer)
            #expect(context.learn(from: ["DPoP-Nonce": nonce], for: proof))
            #expect(try await context.proof(method: "POST", uri: uri, role: .authorizationServer).nonce == nonce)
        }
    }
}
