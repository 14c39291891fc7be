// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import ServerStage
import ServerStorage
import StrictJSON
import TestSupport
import Testing

@Suite("Attacks with key sets of clients", .overSocketsOnEveryStore)
struct ClientKeySetAttackTests {
    private static let url = ClientDocumentTests.url
    private static let keysURL = SigningDocumentClient.keysURL
    private let base = ClientDocumentTests()
    private var documents: FakeDocuments { base.documents }

    private var fetches: Int { documents.requests.count(where: { $0.target == Self.keysURL }) }

    /// Expects that an assertion by the key with number 11 is rejected, and nothing that was fetched is shown.
    private func expectRefusal(
        _ server: ServerUnderTest,
        _ reason: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let response = try await SigningDocumentClient(server).push(11)
        #expect(response.status == 400, "\(response.text)", sourceLocation: sourceLocation)
        expect(response, isError: "invalid_client", sourceLocation: sourceLocation)
        #expect(response.text.contains(reason), "\(response.text)", sourceLocation: sourceLocation)
        #expect(!response.text.contains("Evil"), sourceLocation: sourceLocation)
    }

    @Test(arguments: [
        ("https://keys.example/keys.json", "same origin"), ("https://notes.example:8443/keys.json", "same origin"),
        ("https://notes.example.evil.example/keys.json", "same origin"), ("https://127.0.0.1/keys.json", "same origin"),
        ("https://169.254.169.254/latest", "same origin"), ("http://notes.example/oauth/keys.json", "not https"),
        ("http://127.0.0.1/keys.json", "not https"), ("https://user@notes.example/keys.json", "user information"),
        ("https://notes.example/keys.json#x", "fragment"),
        ("https://notes.example/" + String(repeating: "a", count: 2048), "longer than"),
    ])
    func `attack 150: keys are not fetched from anywhere but the origin of the document`(
        uri: String,
        reason: String
    ) async throws {
        documents.publish(uri, try SigningDocumentClient.keySet(11))
        for method in ["private_key_jwt", "none"] {
            documents.publish(
                Self.url,
                SigningDocumentClient.document {
                    $0["jwks_uri"] = .string(uri)
                    $0["token_endpoint_auth_method"] = .string(method)
                    $0["client_name"] = "Evil Notes"
                }
            )
            let server = try await base.server()
            try await expectRefusal(server, reason)
            #expect(try await server.storage.client(Self.url) == nil)
        }
        #expect(documents.requests.allSatisfy { $0.target == Self.url })
    }

    @Test func `attack 150: keys are not taken from two places`() async throws {
        let keys = try SigningDocumentClient.keySet(11)
        documents.publish(Self.keysURL, keys)
        documents.publish(Self.url, SigningDocumentClient.document { $0["jwks"] = .object(keys) })
        try await expectRefusal(base.server(), "both there")
        #expect(fetches == 0)
    }

    /// A set with a good key, and what a test adds to it.
    private static func keySet(
        _ members: JSONObject = [:],
        keys: [JSONObject] = []
    ) throws -> JSONObject {
        var result = try SigningDocumentClient.keySet(11)
        result["keys"] = .array((result["keys"]?.arrayValue ?? []) + keys.map { .object($0) })
        for member in members.members { result[member.name] = member.value }
        return result
    }

    private func expectRefusal(
        of set: JSONObject,
        _ reason: String,
        fields: HTTPFields = ["Content-Type": "application/json"],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        documents.publish(Self.url, SigningDocumentClient.document())
        documents.publish(Self.keysURL, set, fields: fields)
        try await expectRefusal(base.server(), reason, sourceLocation: sourceLocation)
        #expect(documents.requests.map(\.target) == [Self.url, Self.keysURL], sourceLocation: sourceLocation)
    }

    @Test func `attack 150: a set with a key that nobody should see is not used`() async throws {
        for name in ["d", "p", "q", "dp", "dq", "qi", "oth", "k"] {
            var key = try TestKey.p256(12).publicKey.json
            key[name] = "Evil"
            try await ClientKeySetAttackTests().expectRefusal(of: Self.keySet(keys: [key]), "private or symmetric key")
        }
        let symmetric: JSONObject = ["kty": "oct", "kid": "Evil"]
        try await expectRefusal(of: Self.keySet(keys: [symmetric]), "private or symmetric key")
    }

    @Test func `attack 150: a set that is too long or has too many keys is not used`() async throws {
        let padding: JSONObject = ["padding": .string(String(repeating: "a", count: 33_000))]
        try await ClientKeySetAttackTests().expectRefusal(of: Self.keySet(padding), "cannot be fetched")
        let keys = try (12...27).map { try TestKey.p256($0).publicKey.json }
        try await expectRefusal(of: Self.keySet(keys: keys), "more than 16 keys")
    }

    @Test func `what is no key set is not used`() async throws {
        let bodies: [(JSONObject, String)] = [
            (["Evil": true], "array of keys"), (["keys": "Evil"], "array of keys"), (["keys": []], "no public key"),
            (["keys": ["Evil", ["kty": "Evil"]]], "no public key"),
        ]
        for (body, reason) in bodies { try await ClientKeySetAttackTests().expectRefusal(of: body, reason) }
        var forEncryption = try TestKey.p256(11).publicKey.json
        forEncryption["use"] = "enc"
        try await ClientKeySetAttackTests().expectRefusal(of: ["keys": [.object(forEncryption)]], "no public key")
        try await expectRefusal(of: Self.keySet(), "it is not application", fields: ["Content-Type": "text/html"])
    }

    @Test func `a key for something else beside the right one does no harm`() async throws {
        var forEncryption = try TestKey.p256(12).publicKey.json
        forEncryption["use"] = "enc"
        let unknown: JSONObject = ["kty": "unknown"]
        documents.publish(Self.url, SigningDocumentClient.document())
        documents.publish(Self.keysURL, try Self.keySet(keys: [forEncryption, unknown]))
        let client = try SigningDocumentClient(try await base.server())
        #expect(try await client.push(11).status == 201)
    }

    @Test func `what does not answer with a set gives no keys, and a redirect is not followed`() async throws {
        let body = Array("Evil {".utf8)
        let json: HTTPFields = ["Content-Type": "application/json"]
        let answers: [(FakeDocuments.Answer, String)] = [
            (.response(HTTPResponse(status: 200, fields: json, body: body)), "no JSON object"),
            (.response(HTTPResponse(status: 404)), "status 200"), (.response(HTTPResponse(status: 500)), "status 200"),
            (.response(HTTPResponse(status: 302, fields: ["Location": "https://evil.example/"])), "status 200"),
            (.failure, "cannot be fetched"), (.noConnection, "cannot be fetched"),
        ]
        for (answer, reason) in answers {
            let attack = ClientKeySetAttackTests()
            attack.documents.publish(Self.url, SigningDocumentClient.document())
            attack.documents.answer(Self.keysURL, answer)
            try await attack.expectRefusal(attack.base.server(), reason)
            #expect(attack.documents.requests.map(\.target) == [Self.url, Self.keysURL])
        }
    }

    @Test func `old keys do not count while the set cannot be fetched, and the reason is told to the operator alone`()
        async throws
    {
        documents.publish(Self.url, SigningDocumentClient.document())
        let fields: HTTPFields = ["Content-Type": "application/json", "Cache-Control": "max-age=60"]
        documents.publish(Self.keysURL, try SigningDocumentClient.keySet(11), fields: fields)
        let client = try SigningDocumentClient(try await base.server())
        #expect(try await client.push(11).status == 201)
        // As for an address that is not of the Internet, which the transport refuses.
        documents.answer(Self.keysURL, .failure)
        client.server.clock.advance(by: .seconds(59))
        // An invented key makes the server try, and locks nobody out.
        expect(try await client.push(12), isError: "invalid_client")
        #expect(fetches == 2)
        #expect(try await client.push(11).status == 201)
        client.server.clock.advance(by: .seconds(10))
        for _ in 0..<2 {
            let refused = try await client.push(11)
            expect(refused, isError: "invalid_client")
            #expect(refused.text.contains("it cannot be fetched") && !refused.text.contains("address"))
        }
        #expect(fetches == 3)
        #expect(client.server.reports.all.contains { $0.contains("key set") && $0.contains("notes.example") })
        documents.publish(Self.keysURL, try SigningDocumentClient.keySet(11))
        client.server.clock.advance(by: .seconds(10))
        #expect(try await client.push(11).status == 201)
    }

    @Test func `one address makes the server fetch few key sets`() async throws {
        documents.publish(Self.url, SigningDocumentClient.document())
        documents.publish(Self.keysURL, try SigningDocumentClient.keySet(11))
        let server = try await base.server { $0.rateLimits.clientDocument = RateLimit(1, per: .seconds(600)) }
        let response = try await SigningDocumentClient(server.seen(from: "198.51.100.7")).push(11)
        #expect(response.status == 429 && response.fields["Retry-After"] != nil, "\(response.text)")
        #expect(fetches == 0)
        #expect(try await SigningDocumentClient(server.seen(from: "198.51.100.8")).push(11).status == 201)
    }

    @Test func `requests for one set share one answer`() async throws {
        documents.publish(Self.url, SigningDocumentClient.document())
        documents.publish(Self.keysURL, try SigningDocumentClient.keySet(11))
        let client = try SigningDocumentClient(try await base.server())
        // The document is read, and a nonce received.
        _ = try await client.client.push(client.client.attempt())
        documents.delay = .milliseconds(300)
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<10 { group.addTask { try await client.push(11).status } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.allSatisfy { $0 == 201 }, "\(statuses)")
        #expect(fetches == 1)
    }

    @Test func `attack 150: a stranger who names the set as a client does not pause it`() async throws {
        let padding: JSONObject = ["padding": .string(String(repeating: "a", count: 6000))]
        documents.publish(Self.url, SigningDocumentClient.document())
        documents.publish(Self.keysURL, try Self.keySet(padding))
        let client = try SigningDocumentClient(try await base.server())
        var parameters: FormParameters = ["client_id": Self.keysURL]
        for parameter in client.client.attempt().parameters.all where parameter.name != "client_id" {
            parameters.append(parameter.name, parameter.value)
        }
        let browser = try await client.server.signedInBrowser()
        let refused = await browser.get("/authorize?" + parameters.encoded())
        #expect(refused.status == 400 && fetches == 1, "too large for a document: \(refused.status)")
        #expect(try await client.push(11).status == 201)
    }
}
