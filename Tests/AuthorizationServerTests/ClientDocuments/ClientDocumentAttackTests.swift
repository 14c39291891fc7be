// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import JOSE
import OAuthCore
import ServerStage
import ServerStorage
import StrictJSON
import TestSupport
import Testing

@Suite("Attacks with metadata documents of clients", .overSocketsOnEveryStore)
struct ClientDocumentAttackTests {
    private static let url = ClientDocumentTests.url
    private let base = ClientDocumentTests()
    private var documents: FakeDocuments { base.documents }

    /// Expects that a pushed request and a browser's request are refused, and that nothing of the document is shown.
    private func expectRefusal(
        _ server: ServerUnderTest,
        clientID: String = url,
        requests: Int? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let client = FakeClient(
            server,
            clientID: clientID,
            redirectURI: ClientDocumentTests.redirectURI,
            key: try TestKey.p256(2)
        )
        let push = try await client.push(client.attempt())
        #expect(push.json["error"] == "invalid_client", "\(push.text)", sourceLocation: sourceLocation)
        // Past the pause after a failure.
        server.clock.advance(by: .seconds(11))
        let page = await server.get(client.directTarget(client.attempt()))
        #expect(page.status == 400, sourceLocation: sourceLocation)
        #expect(page.fields["Location"] == nil, sourceLocation: sourceLocation)
        #expect(!page.text.contains("Evil Notes"), sourceLocation: sourceLocation)
        #expect(try await server.storage.client(clientID) == nil, sourceLocation: sourceLocation)
        if let requests { #expect(documents.requests.count == requests, sourceLocation: sourceLocation) }
    }

    private func expectRefusal(
        of change: (inout JSONObject) -> Void,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        var document = ClientDocumentTests.document
        document["client_name"] = "Evil Notes"
        change(&document)
        documents.publish(Self.url, document)
        try await expectRefusal(base.server(), requests: 2, sourceLocation: sourceLocation)
    }

    @Test func `case 45: attack 132, a document that answers with a redirect is not followed`() async throws {
        let place = "http://169.254.169.254/latest"
        for status in [301, 302, 303, 307, 308] {
            var document = ClientDocumentTests.document
            document["client_name"] = "Evil Notes"
            let fields: HTTPFields = ["Location": place, "Content-Type": "application/json"]
            let body = JSONValue.object(document).encoded()
            documents.answer(Self.url, .response(HTTPResponse(status: status, fields: fields, body: body)))
            let server = try await base.server()
            try await expectRefusal(server)
        }
        #expect(documents.requests.allSatisfy { $0.target == Self.url })
    }

    @Test func `attack 133: an address that is not of the Internet is rejected by the transport, and told to nobody`()
        async throws
    {
        documents.answer(Self.url, .failure)
        let server = try await base.server()
        let client = try base.client(server)
        let push = try await client.push(client.attempt())
        #expect(push.text.contains("it cannot be fetched"))
        #expect(!push.text.contains("address"))
        #expect(server.reports.all.contains { $0.contains("notes.example") })
        server.clock.advance(by: .seconds(11))
        try await expectRefusal(server)
    }

    @Test(arguments: [
        "http://notes.example/client.json", "http://127.0.0.1/client.json", "https://user@notes.example/client.json",
        "https://notes.example/client.json#x", "https://notes.example", "https://notes.example/a/../client.json",
        "https://notes.example/a/%2e%2E/client.json", "https://notes.example/./client.json",
        "https://notes.example:8443/client.json", "https://notes.example:22/client.json", "https:///client.json",
        "https://notes.example/" + String(repeating: "a", count: 256),
    ])
    func `attack 134: a URL that is none of a document is not asked`(clientID: String) async throws {
        try await expectRefusal(base.server(), clientID: clientID, requests: 0)
    }

    @Test func `attack 135: a document that is too long is not read`() async throws {
        try await expectRefusal { $0["padding"] = .string(String(repeating: "a", count: 5100)) }
    }

    @Test func `attack 136: a server that does not answer is given up, and left alone for a while`() async throws {
        documents.answer(Self.url, .silence)
        let server = try await base.server()
        let client = try base.client(server)
        let begin = ContinuousClock.now
        let push = try await client.push(client.attempt())
        #expect(push.json["error"] == "invalid_client")
        #expect(ContinuousClock.now - begin < .seconds(500))
        let again = try await client.push(client.attempt())
        #expect(again.status == 429)
        #expect(again.fields["Retry-After"] != nil)
        #expect(documents.requests.count == 1)
        documents.publish(Self.url, ClientDocumentTests.document)
        server.clock.advance(by: .seconds(10))
        #expect(try await client.push(client.attempt()).status == 201)
    }

    /// Expects that a client whose document cannot be used is refused, and has to wait when it asks again.
    private func expectPause(of url: String, _ server: ServerUnderTest) async throws {
        let client = FakeClient(
            server,
            clientID: url,
            redirectURI: ClientDocumentTests.redirectURI,
            key: try TestKey.p256(3)
        )
        #expect(try await client.push(client.attempt()).json["error"] == "invalid_client")
        #expect(try await client.push(client.attempt()).status == 429)
    }

    @Test func `other URLs of a host, which anybody may name, keep out no client whose document is there`()
        async throws
    {
        let places = ["large", "down", "limited", "broken"].map { "https://notes.example/" + $0 }
        documents.publish(places[0], ["padding": .string(String(repeating: "a", count: 6000))])
        documents.answer(places[1], .response(HTTPResponse(status: 503)))
        documents.answer(places[2], .response(HTTPResponse(status: 429)))
        documents.answer(places[3], .failure)
        documents.publish(Self.url, ClientDocumentTests.document)
        let server = try await base.server()
        for place in places { try await expectPause(of: place, server) }
        let client = try base.client(server)
        #expect(try await client.push(client.attempt()).status == 201)
        #expect(documents.requests.map(\.target) == places + [Self.url])
    }

    @Test func `a host that there is no connection to is left alone, whatever the URL`() async throws {
        let place = "https://notes.example/other.json"
        documents.answer(place, .noConnection)
        documents.publish(Self.url, ClientDocumentTests.document)
        let server = try await base.server()
        try await expectPause(of: place, server)
        let client = try base.client(server)
        let push = try await client.push(client.attempt())
        #expect(push.status == 429 && push.fields["Retry-After"] == "10")
        #expect(documents.requests.count == 1)
        server.clock.advance(by: .seconds(10))
        #expect(try await client.push(client.attempt()).status == 201)
    }

    @Test func `a pause ends as usual after the clock was set back`() async throws {
        documents.answer(Self.url, .failure)
        let server = try await base.server()
        try await expectPause(of: Self.url, server)
        documents.publish(Self.url, ClientDocumentTests.document)
        server.clock.advance(by: .seconds(-30 * 86_400))
        let client = try base.client(server)
        // Limits begin again with the first request, which may have to wait for one.
        _ = try await client.push(client.attempt())
        server.clock.advance(by: .seconds(10))
        #expect(try await client.push(client.attempt()).status == 201)
    }

    @Test func `attack 137: a document of another client is not taken`() async throws {
        for name in [
            "https://notes.example/oauth/client.json/", "https://NOTES.example/oauth/client.json",
            "https://notes.example:443/oauth/client.json", "https://other.example/client.json", "app", "",
        ] {
            try await ClientDocumentAttackTests().expectRefusal { $0["client_id"] = .string(name) }
        }
        try await ClientDocumentAttackTests().expectRefusal { $0["client_id"] = nil }
    }

    @Test func `attack 138: a document cannot have secrets, private keys or keys somewhere else`() async throws {
        let key = try TestKey.p256(4)
        var privateKey = key.publicKey.json
        privateKey["d"] = "AAAA"
        let changes: [(inout JSONObject) -> Void] = [
            { $0["token_endpoint_auth_method"] = "client_secret_basic" },
            { $0["token_endpoint_auth_method"] = "client_secret_post" }, { $0["client_secret"] = "s" },
            { $0["client_secret_expires_at"] = 0 }, { $0["jwks_uri"] = "https://keys.example/keys" },
            { $0["jwks"] = ["keys": [.object(privateKey)]] },
            { $0["jwks"] = ["keys": [["kty": "oct", "k": "AAAA"]]] },
            { $0["token_endpoint_auth_method"] = "private_key_jwt" },
        ]
        for change in changes { try await ClientDocumentAttackTests().expectRefusal(of: change) }
    }

    @Test func `a document that promises signed requests has keys for them, of algorithms that the server accepts`()
        async throws
    {
        let key = JSONValue.object(JWKSet([try TestKey.p256(4).publicKey]).json)
        let changes: [(inout JSONObject) -> Void] = [
            { $0["require_signed_request_object"] = true },
            { document in
                document["require_signed_request_object"] = true
                // Keys are fetched for clients with private_key_jwt only.
                document["jwks_uri"] = "https://notes.example/oauth/keys.json"
            },
            { document in
                document["jwks"] = key
                document["request_object_signing_alg"] = "PS256"
            },
            { document in
                document["jwks_uri"] = "https://notes.example/oauth/keys.json"
                document["token_endpoint_auth_method"] = "private_key_jwt"
                document["request_object_signing_alg"] = "RS256"
            },
        ]
        for change in changes { try await ClientDocumentAttackTests().expectRefusal(of: change) }
    }

    @Test func `attack 139: a document sends codes to its own host or to the device, and nowhere else`() async throws {
        for uri in [
            "https://evil.example/callback", "https://notes.example.evil.example/cb", "http://notes.example/cb",
            "javascript:alert(1)", "notes:/cb", "https://notes.example/cb#x", "https://user@notes.example/cb",
        ] {
            try await ClientDocumentAttackTests().expectRefusal {
                $0["redirect_uris"] = [.string(ClientDocumentTests.redirectURI), .string(uri)]
            }
        }
        try await ClientDocumentAttackTests().expectRefusal { $0["redirect_uris"] = [] }
    }

    @Test func `a document leads users to its own host after a sign-out, and nowhere else`() async throws {
        documents.publish(Self.url, ClientDocumentTests.document)
        let server = try await base.server()
        let client = try base.client(server)
        #expect(try await client.push(client.attempt()).status == 201)
        // Only these URIs of the document are left out: everything else in it is taken over.
        var document = ClientDocumentTests.document
        document["client_name"] = "Other Notes"
        document["post_logout_redirect_uris"] = [
            "https://NOTES.example/bye", "https://evil.example/bye", "https://notes.example/",
            "https://notes.example.evil.example/bye",
        ]
        documents.publish(Self.url, document)
        server.clock.advance(by: .seconds(3600))
        #expect(try await client.push(client.attempt()).status == 201)
        let stored = try #require(try await server.storage.client(Self.url))
        #expect(stored.name == "Other Notes")
        #expect(stored.postLogoutRedirectURIs == ["https://NOTES.example/bye", "https://notes.example/"])
    }

    @Test(arguments: [
        "Keybound", "Notes</p><script>alert(1)</script>", "\u{202E}etoN dnuobyeK", "Not\u{200B}es",
        "\u{41D}\u{43E}tes", String(repeating: "Trusted ", count: 15),
    ])
    func `attack 140: a name that imitates another stands beside the host that chose it`(name: String) async throws {
        var document = ClientDocumentTests.document
        document["client_name"] = .string(name)
        documents.publish(Self.url, document)
        let server = try await base.server()
        let client = try base.client(server)
        let browser = try await server.signedInBrowser()
        let page = try await browser.get(client.pushedTarget(client.attempt()))
        #expect(page.status == 200)
        #expect(page.text.contains("<strong><bdi>notes.example</bdi></strong>, which chose its"))
        for trick in ["<script>alert", "\u{202E}", "\u{200B}"] { #expect(!page.text.contains(trick)) }
    }

    @Test func `attack 141: only hosts of the list are asked, compared as a whole`() async throws {
        for hosts in [["other.example"], ["example"], ["s.example"], ["notes.example.evil.example"]] {
            let attack = ClientDocumentAttackTests()
            attack.documents.publish(Self.url, ClientDocumentTests.document)
            try await attack.expectRefusal(attack.base.server(.hosts(hosts)), requests: 0)
        }
        documents.publish(Self.url, ClientDocumentTests.document)
        let server = try await base.server(.hosts(["a.example", "notes.example"]))
        let client = try base.client(server)
        #expect(try await client.push(client.attempt()).status == 201)
    }

    @Test func `a policy that is taken back ends the clients that it let in`() async throws {
        documents.publish(Self.url, ClientDocumentTests.document)
        let before = try await base.server()
        let tokens = try await base.client(before).signIn()
        let stored = try #require(try await before.storage.client(Self.url))
        let server = try await base.server(.hosts(["other.example"]))
        _ = try await server.storage.add(stored)
        let client = try base.client(server)
        let push = try await client.push(client.attempt())
        #expect(push.json["error"] == "invalid_client")
        let refreshed = try await client.refresh(tokens.string("refresh_token"))
        #expect(refreshed.json["error"] == "invalid_client")
    }

    @Test func `attack 142: one address makes the server send few requests, and a token request makes it send none`()
        async throws
    {
        let server = try await base.server { $0.rateLimits.clientDocument = RateLimit(3, per: .seconds(600)) }
        var statuses: [Int] = []
        for number in 1...5 {
            let client = FakeClient(
                server.seen(from: "198.51.100.7"),
                clientID: "https://host-\(number).example/client.json",
                redirectURI: "https://host-\(number).example/cb",
                key: try TestKey.p256(2)
            )
            statuses.append(try await client.push(client.attempt()).status)
            #expect(try await client.refresh("nothing").status == 400)
        }
        #expect(statuses == [400, 400, 400, 429, 429])
        #expect(documents.requests.count == 3)
    }

    @Test func `attack 142: a host gets two requests at once, whoever asks for them`() async throws {
        documents.delay = .seconds(2)
        let server = try await base.server()
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 1...6 {
                group.addTask {
                    let client = FakeClient(
                        server,
                        clientID: "https://victim.example/\(number).json",
                        redirectURI: "https://victim.example/cb",
                        key: nil
                    )
                    return await server.get(client.directTarget(client.attempt())).status
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(documents.requests.count < 6, "\(statuses)")
        #expect(statuses.contains(429))
    }

    @Test func `attack 143: requests for one document share one answer`() async throws {
        documents.publish(Self.url, ClientDocumentTests.document)
        documents.delay = .milliseconds(300)
        let server = try await base.server()
        let client = try base.client(server)
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<20 { group.addTask { await server.get(client.directTarget(client.attempt())).status } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.allSatisfy { $0 == 200 }, "\(statuses)")
        #expect(documents.requests.count < 5)
    }
}
