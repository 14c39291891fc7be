// SPDX-License-Identifier: Apache-2.0

import DPoP
import HTTPMessage
import JOSE
import OAuthSystem
import ProofSuite
import StrictJSON
import TestSupport
import Testing

@Suite("RFC 9449 sections 8.2 and 9: a key and the nonces of each server")
struct DPoPContextTests {
    private let context: DPoPContext
    private let server: URI

    init() throws {
        context = DPoPContext(key: try TestKey.p256(), clock: FixedClock(), entropy: SeededEntropy())
        server = try URI(parsing: "https://server.example.com/token?a=b")
    }

    private func proof(
        _ uri: URI? = nil,
        _ role: DPoPServerRole = .authorizationServer,
        accessToken: String? = nil
    ) async throws -> DPoPProofForRequest {
        try await context.proof(method: "POST", uri: uri ?? server, accessToken: accessToken, role: role)
    }

    private func nonce(in proof: DPoPProofForRequest) throws -> String? {
        try CompactJWS(parsing: proof.value).payloadObject()["nonce"]?.stringValue
    }

    @Test func `the first proof has no nonce, the next one has what the server gave`() async throws {
        let first = try await proof()
        #expect(try nonce(in: first) == nil)
        #expect(first.nonce == nil)
        #expect(!context.knowsNonce(for: server, role: .authorizationServer))
        #expect(context.learn(from: ["dpop-nonce": "one"], for: first))
        #expect(context.knowsNonce(for: server, role: .authorizationServer))
        let second = try await proof()
        #expect(try nonce(in: second) == "one")
        #expect(second.nonce == "one")
        #expect(second.value != first.value)
    }

    @Test func `a proof for a request is not printed`() async throws {
        let proof = try await proof()
        var dumped = ""
        dump(proof, to: &dumped)
        for text in ["\(proof)", String(reflecting: proof), dumped] { #expect(!text.contains(proof.value)) }
    }

    @Test func `proofs carry the key, and ath where there is an access token`() async throws {
        let text = try await proof(server, .resourceServer, accessToken: Scenario.accessToken).value
        let jws = try CompactJWS(parsing: text)
        #expect(try jws.payloadObject()["ath"] == .string(Scenario.accessTokenHash))
        #expect(try jws.payloadObject()["htu"] == "https://server.example.com/token")
        #expect(jws.header["jwk"] == .object(try TestKey.p256().publicKey.json))
        #expect(context.thumbprint == (try TestKey.p256().publicKey.thumbprint))
        #expect(context.key.publicKey == (try TestKey.p256().publicKey))
    }

    @Test func `an answer with the nonce that was sent is no reason to send again`() async throws {
        context.learn(from: ["DPoP-Nonce": "one"], for: try await proof())
        #expect(!context.learn(from: ["DPoP-Nonce": "one"], for: try await proof()))
        #expect(context.learn(from: ["DPoP-Nonce": "two"], for: try await proof()))
        #expect(!context.learn(from: [:], for: try await proof()))
        #expect(try await proof().nonce == "two")
    }

    @Test func `an answer without a nonce is worth another try when another request learned one`() async throws {
        let slow = try await proof()
        context.learn(from: ["DPoP-Nonce": "one"], for: try await proof())
        #expect(context.learn(from: [:], for: slow))
        #expect(try await proof().nonce == "one")
    }

    @Test(arguments: [
        "http://server.example.com/token", "https://server.example.com:8443/token", "https://other.example.com/token",
        "https://server.example.com.attacker.example/token",
    ])
    func `a nonce stays with its origin`(other: String) async throws {
        context.learn(from: ["DPoP-Nonce": "one"], for: try await proof())
        #expect(try await proof(URI(parsing: other)).nonce == nil)
    }

    @Test(arguments: [
        "https://server.example.com/", "https://server.example.com", "https://SERVER.example.com:443/x/y",
        "HTTPS://server.example.com/?q",
    ])
    func `a nonce is for every URI of its origin`(other: String) async throws {
        context.learn(from: ["DPoP-Nonce": "one"], for: try await proof())
        #expect(try await proof(URI(parsing: other)).nonce == "one")
    }

    @Test func `attack 96, the nonces of the two roles of one host are apart`() async throws {
        context.learn(from: ["DPoP-Nonce": "as"], for: try await proof())
        #expect(try await proof(server, .resourceServer).nonce == nil)
        context.learn(from: ["DPoP-Nonce": "rs"], for: try await proof(server, .resourceServer))
        #expect(try await proof().nonce == "as")
        #expect(try await proof(server, .resourceServer).nonce == "rs")
    }

    @Test func `attack 96, another key starts without nonces`() async throws {
        context.learn(from: ["DPoP-Nonce": "one"], for: try await proof())
        let other = DPoPContext(key: try TestKey.p256(2), clock: FixedClock(), entropy: SeededEntropy())
        #expect(try await other.proof(method: "POST", uri: server, role: .authorizationServer).nonce == nil)
    }

    @Test func `the answer to an older request does not replace the nonce of a newer one`() async throws {
        let (older, newer) = (try await proof(), try await proof())
        #expect(context.learn(from: ["DPoP-Nonce": "newer"], for: newer))
        #expect(context.learn(from: ["DPoP-Nonce": "older"], for: older))
        #expect(try await proof().nonce == "newer")
        // The same request may bring two: an interim answer and the final one.
        context.learn(from: ["DPoP-Nonce": "final"], for: newer)
        #expect(try await proof().nonce == "final")
    }

    @Test(arguments: [
        "", " ", "a b", "a\"b", "a\\b", "a\tb", "é", "\u{7f}", "a\0b", "a\r\nb", String(repeating: "a", count: 513),
        String(repeating: "a", count: 10_000),
    ])
    func `what is no nonce is not learnt`(value: String) async throws {
        context.learn(from: ["DPoP-Nonce": "one"], for: try await proof())
        #expect(!context.learn(from: ["DPoP-Nonce": value], for: try await proof()))
        #expect(try await proof().nonce == "one")
    }

    @Test func `every NQCHAR is learnt, up to 512 of them`() async throws {
        let all = String(decoding: [0x21] + Array(0x23...0x5B) + Array(0x5D...0x7E), as: UTF8.self)
        for value in [all, "a", String(repeating: "a", count: 512)] {
            #expect(context.learn(from: ["DPoP-Nonce": value], for: try await proof()))
            #expect(try nonce(in: try await proof()) == value)
        }
    }

    @Test func `two nonces in one answer are none`() async throws {
        let fields = HTTPFields([.init(name: "DPoP-Nonce", value: "a"), .init(name: "dpop-nonce", value: "b")])
        #expect(!context.learn(from: fields, for: try await proof()))
        #expect(!context.knowsNonce(for: server, role: .authorizationServer))
    }

    @Test func `of more than 64 servers the one not heard of longest is forgotten`() async throws {
        let servers = try (0..<65).map { try URI(parsing: "https://s\($0).example/") }
        for (number, server) in servers.dropLast().enumerated() {
            context.learn(from: ["DPoP-Nonce": "n\(number)"], for: try await proof(server))
        }
        context.learn(from: ["DPoP-Nonce": "again"], for: try await proof(servers[0]))
        #expect(servers.count { context.knowsNonce(for: $0, role: .authorizationServer) } == 64)
        context.learn(from: ["DPoP-Nonce": "last"], for: try await proof(servers[64]))
        #expect(servers.count { context.knowsNonce(for: $0, role: .authorizationServer) } == 64)
        #expect(!context.knowsNonce(for: servers[1], role: .authorizationServer))
        #expect(try await proof(servers[0]).nonce == "again")
        #expect(try await proof(servers[64]).nonce == "last")
    }

    @Test func `trap 38: a server that is asked often is kept, also when it gives no new nonces`() async throws {
        let servers = try (0..<65).map { try URI(parsing: "https://s\($0).example/") }
        for server in servers.dropLast() { context.learn(from: ["DPoP-Nonce": "n"], for: try await proof(server)) }
        _ = try await proof(servers[0])
        context.learn(from: ["DPoP-Nonce": "n"], for: try await proof(servers[64]))
        #expect(context.knowsNonce(for: servers[0], role: .authorizationServer))
        #expect(!context.knowsNonce(for: servers[1], role: .authorizationServer))
    }

    @Test func `a proof for a server whose clock is known has its time`() async throws {
        let time = Timestamp(secondsSince1970: 1_234_567_890)
        let proof = try await context.proof(method: "GET", uri: server, role: .resourceServer, at: time)
        #expect(try CompactJWS(parsing: proof.value).payloadObject()["iat"] == 1_234_567_890)
    }

    @Test func `a URI that no proof can be made for`() async throws {
        let uri = try URI(parsing: "urn:a:b")
        #expect(await asynchronousFailure { try await proof(uri) }?.code == .invalidTargetURI)
        #expect(!context.knowsNonce(for: uri, role: .authorizationServer))
    }

    @Test func `many tasks at once each get a proof of their own`() async throws {
        let context = context
        let server = server
        let values = try await withThrowingTaskGroup(of: String.self) { group in
            for number in 0..<64 {
                group.addTask {
                    let proof = try await context.proof(method: "GET", uri: server, role: .resourceServer)
                    context.learn(from: ["DPoP-Nonce": "n\(number)"], for: proof)
                    return proof.value
                }
            }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(values.count == 64)
        #expect(context.knowsNonce(for: server, role: .resourceServer))
    }

    @Test func `client and server together, nonce and all`() async throws {
        var scenario = try Scenario()
        scenario.policy.nonces = .required
        scenario.expectation = try ExpectedRequest(
            method: "POST",
            targetURI: TargetURI(server),
            thumbprint: context.thumbprint
        )
        let verifier = DPoPProofVerifier(policy: scenario.policy, nonces: scenario.nonces)
        let first = try await proof()
        #expect(failure { try scenario.accept(first.value) }?.code == .nonceRequired)
        let offered = try #require(verifier.nonceToOffer(after: nil, at: scenario.now))
        #expect(context.learn(from: ["DPoP-Nonce": offered], for: first))
        try scenario.accept(try await proof().value)
    }
}
