// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import HTTPMessage
import JOSE
import OAuthClient
import OAuthCore
import OAuthSystem
import PKCE
import SigningKeys
import StrictJSON
import TestSupport
import Testing

@Suite("Traps that no other suite is about")
struct TrapTests {
    /// The payload of a token in compact serialization, as text.
    private static func payload(_ token: String) throws -> String {
        String(decoding: try CompactJWS(parsing: token).payload, as: UTF8.self)
    }

    @Test func `trap 25: on the wire times are seconds since 1970, whole numbers, and no slash is escaped`()
        async throws
    {
        let fixture = try GrantFixture.withPrivateKey()
        _ = try await fixture.client.requestClientCredentialsTokens()
        let received = try #require(fixture.server.received(at: "/token").last)
        let assertion = try Self.payload(#require(try received.value("client_assertion")))
        let now = fixture.clock.now().secondsSince1970
        #expect(assertion.contains("\"iat\":\(now),"))
        #expect(assertion.contains("\"exp\":\(now + 60)"))
        #expect(assertion.contains("\"aud\":\"\(fixture.server.issuer)\""))
        let proof = try Self.payload(#require(received.request.fields["DPoP"]))
        #expect(proof.contains("\"iat\":\(now)"))
        #expect(proof.contains("\"htu\":\"\(fixture.server.issuer)/token\""))
        for text in [assertion, proof] { #expect(!text.contains("\\")) }
        let tokens = try await fixture.client.requestClientCredentialsTokens()
        #expect(tokens.json["expires_at"]?.integerValue == now + 300)
    }

    /// The members of a public key in a proof, and the size of a signature, by RFC 7518 and RFC 8037.
    private static let shapes: [KeyPairType: (members: [String], signature: Int)] = [
        .p256: (["crv", "kty", "x", "y"], 64), .p384: (["crv", "kty", "x", "y"], 96),
        .p521: (["crv", "kty", "x", "y"], 132), .ed25519: (["crv", "kty", "x"], 64), .rsa: (["e", "kty", "n"], 384),
    ]

    @Test(arguments: KeyPairType.all)
    func `trap 31 to 33: on the wire a key shows its public members, and signs raw`(_ type: KeyPairType) async throws {
        let server = try BindingServer(.isSilent)
        var configuration = OAuth2ClientConfiguration.allowingInsecureHTTPOnLoopback
        configuration.tokenBoundConfiguration = BoundedTokenConfiguration(keyPairType: type)
        let client = try OAuth2Client(
            issuer: server.issuer,
            clientID: "my-app",
            redirectURI: "com.example.app:/callback",
            configuration: configuration
        )
        // The server of this test reads only P-256 proofs, so the recorded request is checked.
        _ = await clientError { _ = try await client.initiateAuthorization(scopes: []) }
        let request = try #require(server.requests(to: "/par").last)
        let text = try #require(request.fields["DPoP"])
        let jws = try CompactJWS(parsing: text)
        let object = try #require(jws.header["jwk"]?.objectValue)
        let shape = try #require(Self.shapes[type])
        #expect(object.members.map(\.name).sorted() == shape.members)
        #expect(jws.header.members.map(\.name).sorted() == ["alg", "jwk", "typ"])
        let signature = try #require(text.split(separator: ".").last)
        #expect(try Base64URL.decode(String(signature)).count == shape.signature)
        let key = try JWK(parsing: object)
        try jws.verify(with: key, allowing: [type.algorithm])
        // Required members in order, without whitespace, hashed (RFC 7638 section 3).
        let members = shape.members.map { "\"\($0)\":\"\(object[$0]?.stringValue ?? "")\"" }
        let digest = try await Self.thumbprint("{" + members.joined(separator: ",") + "}")
        let form = try FormParameters(decoding: request.body)
        #expect(try form.value(for: "dpop_jkt") == digest)
    }

    /// SHA-256 in base64url, by an implementation that is not part of this package.
    private static func thumbprint(_ text: String) async throws -> String {
        let program = try ChildProcess(
            "/usr/bin/env",
            ["sha256sum", "--binary"],
            environment: ["PATH": "/usr/bin:/bin"],
            directory: "/",
            input: text
        )
        let digits = Array(await program.result().output.prefix(64))
        let octets = stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(digits[$0...$0 + 1]), radix: 16)
        }
        return Base64URL.encode(octets)
    }

    @Test(.timeLimit(.minutes(2)))
    func `trap 67: many that wait for locks and browsers leave the threads to others`() async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let account = ClientAccount(issuer: "https://auth.example", clientID: "my-app")
        let gate = Gate()
        // More than the pool has threads: if each blocked its thread, no thread would be left to open the gate until
        // their timeout ends.
        let count = 4 * ProcessInfo.processInfo.activeProcessorCount
        let holder = Task {
            try await FileTokenStore(directory: directory).withRefreshLock(on: account) { await gate.pass() }
        }
        try await gate.arrival()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<count {
                group.addTask {
                    let store = FileTokenStore(directory: directory, timeout: .seconds(60))
                    try await store.withRefreshLock(on: account) {}
                }
            }
            for number in 0..<16 {
                group.addTask {
                    let receiver = try LoopbackReceiver()
                    await #expect(throws: OAuthClientError.self) {
                        try await receiver.callback(state: "s\(number)", timeout: .milliseconds(500))
                    }
                }
            }
            group.addTask {
                try await Task.sleep(for: .milliseconds(100))
                await gate.open()
            }
            try await group.waitForAll()
        }
        try await holder.value
    }

    @Test func `trap 69: transactions that differ in one character of state or verifier are two`() throws {
        func transaction(_ state: String, _ verifier: String) throws -> SignInTransaction {
            SignInTransaction(
                state: state,
                codeVerifier: try CodeVerifier(verifier),
                account: ClientAccount(issuer: "https://auth.example", clientID: "my-app"),
                redirectURI: "com.example.app:/callback",
                scope: try Scope([]),
                keyThumbprint: nil,
                expectsIssuer: true,
                expiresAt: Timestamp(secondsSince1970: 1_790_000_000)
            )
        }
        let text = String(repeating: "a", count: 43)
        let same = try transaction(text, text)
        #expect(try transaction(text, text) == same)
        for place in 0..<43 {
            let other = String(text.prefix(place)) + "b" + String(text.dropFirst(place + 1))
            #expect(try transaction(other, text) != same)
            #expect(try transaction(text, other) != same)
        }
    }
}
#endif
