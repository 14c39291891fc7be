// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPMessage
import JOSE
import OAuthClient
import OAuthCore
import OAuthSystem
import SigningKeys
import StrictJSON
import Synchronization
import TestSupport
import Testing

@testable import KeyboundCommand

@Suite("What an attester attests, and what it refuses")
struct AttesterServiceTests {
    private static let address = "https://attester.example.com"

    /// An attester in the process, and what it wrote and was sent.
    private final class Stage: HTTPTransport {
        let clock = FixedClock()
        let key: SoftwareSigningKey
        private let service: AttesterService
        private let state = Mutex<(lines: [JSONObject], sent: [HTTPRequest])>(([], []))

        init(
            _ policy: EvidencePolicy,
            at address: String = AttesterServiceTests.address,
            proxies: TrustedProxies = .loopback,
            challenges: AttestationChallenges? = nil
        ) throws {
            key = try TestKey.p256(20)
            let lines = Lines()
            self.lines = lines
            service = AttesterService(
                AttestationIssuer(key: key, clients: ["notes-app"], lifetime: .seconds(3600)),
                policy,
                address: address,
                proxies: proxies,
                clock: clock,
                entropy: SeededEntropy(),
                challenges: challenges,
                onUnnamedClient: { lines.add(["event": "unnamed"]) },
                audit: { object, _ in lines.add(object) }
            )
        }

        let lines: Lines

        /// The requests that were sent.
        var sent: [HTTPRequest] { state.withLock { $0.sent } }

        func send(_ request: HTTPRequest, maximumBodySize: Int) async throws(OAuthCoreError) -> HTTPResponse {
            var received = request
            received.target = String(request.target.dropFirst(AttesterServiceTests.address.count))
            state.withLock { $0.sent.append(received) }
            return await service.respond(to: received)
        }

        func post(
            _ path: String,
            _ body: [UInt8],
            from address: String? = nil,
            for client: String? = nil
        ) async -> HTTPResponse {
            var request = HTTPRequest(
                method: "POST",
                target: path,
                fields: ["Content-Type": "application/json"],
                body: body
            )
            request.peerAddress = address
            if let client { request.fields["X-Forwarded-For"] = client }
            return await service.respond(to: request)
        }

        func challenge() async throws -> String {
            let response = await post("/challenge", [])
            return try #require(try JSONValue(parsing: response.body).objectValue?["challenge"]?.stringValue)
        }
    }

    /// The audit lines.
    private final class Lines: Sendable {
        private let lines = Mutex<[JSONObject]>([])

        var all: [JSONObject] { lines.withLock { $0 } }

        func add(_ line: JSONObject) {
            lines.withLock { $0.append(line) }
        }
    }

    private let device: SoftwareSigningKey

    init() throws {
        device = try TestKey.p256(2)
    }

    private static var unproven: EvidencePolicy {
        var policy = EvidencePolicy()
        policy.allowsUnproven = true
        return policy
    }

    /// A request as a client makes it, with the changes of a test.
    private func body(
        challenge: String,
        client: String = "notes-app",
        evidence: JSONObject = ["format": "none"],
        sent: JSONObject? = nil,
        signer: SoftwareSigningKey? = nil,
        header: (inout JSONObject) -> Void = { _ in },
        claims change: (inout JSONObject) -> Void = { _ in }
    ) async throws -> [UInt8] {
        var claims: JSONObject = [
            "aud": .string(Self.address), "challenge": .string(challenge), "iat": 1_790_000_000,
            "evidence_hash": .string(HTTPClientAttester.hash(of: evidence)),
        ]
        change(&claims)
        var head: JSONObject = [
            "typ": "keybound-attestation-request+jwt", "jwk": .object(device.publicKey.json),
        ]
        header(&head)
        let request = try await CompactJWS.sign(
            header: head,
            payload: JSONValue.object(claims).encoded(),
            with: signer ?? device
        )
        let object: JSONObject = [
            "client_id": .string(client), "request": .string(request), "evidence": .object(sent ?? evidence),
        ]
        return JSONValue.object(object).encoded()
    }

    private func error(_ response: HTTPResponse) -> String? {
        (try? JSONValue(parsing: response.body))?.objectValue?["error"]?.stringValue
    }

    @Test func `a client of the library gets an attestation that a server verifies, and that says nothing was proven`()
        async throws
    {
        let stage = try Stage(Self.unproven)
        let attester = try HTTPClientAttester(address: Self.address, transport: stage, clock: stage.clock)
        let text = try await attester.attestation(of: device, for: "notes-app")
        let issuer = AttestationIssuer(key: stage.key, clients: [], lifetime: .zero)
        let claims = try JWTValidation.clientAttestation(clientID: "notes-app")
            .validate(text, with: issuer.keySet, at: stage.clock.now())
        #expect(claims.string("key_protection") == "unproven")
        #expect(claims.object["cnf"]?.objectValue?["jwk"] == .object(device.publicKey.json))
        #expect(try #require(claims.expiresAt) - #require(claims.issuedAt) == .seconds(3600))
        let line = try #require(stage.lines.all.last)
        #expect(line["event"] == "attestation_issued" && line["client_id"] == "notes-app")
        #expect(line["key"]?.stringValue == device.publicKey.thumbprint.description)
        // The same request again: its challenge is used up.
        let again = await stage.post("/attestation", try #require(stage.sent.last).body)
        #expect(again.status == 400 && error(again) == "invalid_challenge")
    }

    @Test func `a challenge works once, for two minutes, and only if it was given out`() async throws {
        let stage = try Stage(Self.unproven)
        let challenge = try await stage.challenge()
        stage.clock.advance(by: .seconds(120))
        let late = await stage.post("/attestation", try await body(challenge: challenge))
        #expect(error(late) == "invalid_challenge")
        let invented = await stage.post("/attestation", try await body(challenge: String(repeating: "A", count: 43)))
        #expect(error(invented) == "invalid_challenge")
        let fresh = try await stage.challenge()
        stage.clock.advance(by: .seconds(119))
        #expect(await stage.post("/attestation", try await body(challenge: fresh)).status == 200)
    }

    @Test func `when too many challenges were used, nothing is attested for a while`() async throws {
        let stage = try Stage(Self.unproven, challenges: AttestationChallenges(SeededEntropy(), maximum: 1))
        #expect(await stage.post("/attestation", try await body(challenge: stage.challenge())).status == 200)
        let next = await stage.post("/attestation", try await body(challenge: stage.challenge()))
        #expect(next.status == 503 && next.fields["Retry-After"] != nil && error(next) == "server_error")
        stage.clock.advance(by: .seconds(120))
        #expect(await stage.post("/attestation", try await body(challenge: stage.challenge())).status == 200)
    }

    @Test func `what is not signed by the key, for this attester, about this evidence, is rejected`() async throws {
        let stage = try Stage(Self.unproven)
        let other = try TestKey.p256(3)
        let challenge = try await stage.challenge()
        let bodies = [
            try await body(challenge: challenge, signer: other),
            try await body(challenge: challenge, header: { $0["typ"] = "JWT" }),
            try await body(challenge: challenge, header: { $0["jwk"] = nil }),
            try await body(challenge: challenge, claims: { $0["aud"] = "https://other.example.com" }),
            try await body(challenge: challenge, claims: { $0["aud"] = nil }),
            try await body(challenge: challenge, claims: { $0["challenge"] = nil }),
            try await body(challenge: challenge, claims: { $0["iat"] = "now" }),
            try await body(challenge: challenge, claims: { $0["evidence_hash"] = nil }),
            try await body(challenge: challenge, sent: ["format": "none", "more": 1]), Array("{}".utf8),
            Array("x".utf8),
        ]
        for body in bodies {
            let response = await stage.post("/attestation", body)
            #expect(response.status == 400 && error(response) == "invalid_request")
            #expect(response.fields["Cache-Control"] == "no-store")
        }
        // None of them used the challenge up.
        #expect(await stage.post("/attestation", try await body(challenge: challenge)).status == 200)
    }

    @Test func `other clients, unproven keys and unknown evidence are rejected`() async throws {
        let open = try Stage(Self.unproven)
        let stranger = await open.post("/attestation", try await body(challenge: open.challenge(), client: "other-app"))
        #expect(stranger.status == 403 && error(stranger) == "client_refused")
        let careful = try Stage(EvidencePolicy())
        for evidence in [
            ["format": "none"], ["format": "x"], [:], ["format": "pkcs11", "label": "a"], ["format": "tpm2-certify"],
        ] as [JSONObject] {
            let challenge = try await careful.challenge()
            let response = await careful.post(
                "/attestation",
                try await body(challenge: challenge, evidence: evidence)
            )
            #expect(response.status == 403 && error(response) == "evidence_refused")
            #expect(careful.lines.all.last?["event"] == "attestation_refused")
            // A refused request has used its challenge up.
            let again = await careful.post("/attestation", try await body(challenge: challenge, evidence: evidence))
            #expect(error(again) == "invalid_challenge")
        }
    }

    @Test func `an address has a limit, and others need not wait`() async throws {
        let stage = try Stage(Self.unproven)
        for _ in 0..<60 { #expect(await stage.post("/challenge", [], from: "192.0.2.1").status == 200) }
        let refused = await stage.post("/challenge", [], from: "192.0.2.1")
        #expect(refused.status == 429 && refused.fields["Retry-After"] != nil)
        #expect(await stage.post("/challenge", [], from: "192.0.2.2").status == 200)
    }

    @Test func `clients of a proxy on another machine have a limit each, and a proxy that names none is reported`()
        async throws
    {
        let proxies = TrustedProxies([try #require(IPAddressRange(parsing: "10.0.0.2"))])
        let stage = try Stage(Self.unproven, proxies: proxies)
        func challenge(for client: String?) async -> Int {
            await stage.post("/challenge", [], from: "10.0.0.2", for: client).status
        }
        for _ in 0..<60 { #expect(await challenge(for: "192.0.2.1") == 200) }
        #expect(await challenge(for: "192.0.2.1") == 429)
        #expect(await challenge(for: "192.0.2.2") == 200)
        // A proxy may append to what the client sent: its quotation mark hides nothing.
        #expect(await challenge(for: "\", 192.0.2.1") == 429)
        // Clients that a proxy names with something that is not an address share one limit.
        for _ in 0..<60 { #expect(await challenge(for: "unknown") == 200) }
        #expect(await challenge(for: "unknown") == 429)
        let unnamed: JSONObject = ["event": "unnamed"]
        #expect(!stage.lines.all.contains(unnamed))
        for _ in 0..<61 { #expect(await challenge(for: nil) == 200) }
        #expect(stage.lines.all.filter { $0 == unnamed }.count == 1)
    }

    @Test func `a key in a TPM is attested if its TPM is known, and evidence about another key is not`() async throws {
        let directory = try TemporaryDirectory()
        let tpm = try await SoftwareTPM(directory: directory.path + "/tpm")
        let store = try TPMKeyStore(directory: directory.path + "/keys", tcti: tpm.tcti)
        let key = try await store.loadOrGenerate(alias: KeyAlias("app"), algorithm: .es256)
        let known = try #require(try await store.attestation(of: KeyAlias("app"), challenge: [1]))
        var policy = EvidencePolicy()
        policy.attestationKeys = [known.attestationKeyName]
        let stage = try Stage(policy)
        let attester = try HTTPClientAttester(
            address: Self.address,
            evidence: TPMEvidence(store),
            transport: stage,
            clock: stage.clock
        )
        let text = try await attester.attestation(of: key, for: "notes-app")
        #expect(try CompactJWS(parsing: text).payloadObject()["key_protection"] == "hardware")
        // The statement about the TPM's key, sent by the holder of another key.
        let challenge = try await stage.challenge()
        let evidence = try await TPMEvidence(store).evidence(about: key, challenge: challenge)
        let stolen = await stage.post("/attestation", try await body(challenge: challenge, evidence: evidence))
        #expect(error(stolen) == "evidence_refused")
        #expect(stage.lines.all.last?["reason"]?.stringValue?.contains("another key") == true)
        // A statement for an earlier challenge.
        let later = try await stage.challenge()
        let old = await stage.post("/attestation", try await body(challenge: later, evidence: evidence))
        #expect(error(old) == "evidence_refused")
        // A TPM that nobody enrolled.
        policy.attestationKeys = [[UInt8](repeating: 0, count: 34)]
        let strict = try Stage(policy)
        let refused = try HTTPClientAttester(address: Self.address, evidence: TPMEvidence(store), transport: strict)
        let failure = await #expect(throws: OAuthClientError.self) {
            _ = try await refused.attestation(of: key, for: "notes-app")
        }
        #expect(failure?.code == .attestationFailed && failure?.status == 403)
    }

    @Test func `evidence that cannot be judged counts as none, evidence that is wrong is rejected`() async throws {
        let directory = try TemporaryDirectory()
        let tpm = try await SoftwareTPM(directory: directory.path + "/tpm")
        let store = try TPMKeyStore(directory: directory.path + "/keys", tcti: tpm.tcti)
        let key = try await store.loadOrGenerate(alias: KeyAlias("app"), algorithm: .es256)
        let stage = try Stage(Self.unproven)
        let attester = try HTTPClientAttester(
            address: Self.address,
            evidence: TPMEvidence(store),
            transport: stage,
            clock: stage.clock
        )
        let text = try await attester.attestation(of: key, for: "notes-app")
        #expect(try CompactJWS(parsing: text).payloadObject()["key_protection"] == "unproven")
        let unread: JSONObject = ["format": "pkcs11", "label": "a"]
        let unopened = try await body(challenge: stage.challenge(), evidence: unread)
        #expect(await stage.post("/attestation", unopened).status == 200)

        let challenge = try await stage.challenge()
        let honest = try await TPMEvidence(store).evidence(about: key, challenge: challenge)
        var forged = honest
        forged["signature"] = .string(Base64URL.encode([UInt8](repeating: 1, count: 72)))
        for evidence in [honest, forged, ["format": "tpm2-certify"], ["format": "x"]] as [JSONObject] {
            let refused = await stage.post(
                "/attestation",
                try await body(challenge: stage.challenge(), evidence: evidence)
            )
            #expect(refused.status == 403 && error(refused) == "evidence_refused")
        }
    }
}
