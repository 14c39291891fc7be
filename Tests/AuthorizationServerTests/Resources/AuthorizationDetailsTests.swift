// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import JOSE
import OAuthCore
import ServerStorage
import StrictJSON
import TestSupport
import Testing

@Suite("Rich authorization requests, RFC 9396")
struct AuthorizationDetailsTests {
    private typealias Server = ResourcefulServer
    private static let granted = #"[{"type":"payment","actions":["initiate","status"],"amount":100}]"#
    private static let less = #"[{"type":"payment","amount":100,"actions":["status"]}]"#

    private static func json(_ text: String) throws -> JSONValue { try JSONValue(parsing: Array(text.utf8)) }

    @Test func `what the person agreed to is in the answer, the token and introspection`() async throws {
        let server = try await Server.make()
        let client = try Server.client(server)
        let attempt = client.attempt(
            scope: "vault:open",
            resources: [Server.vault, Server.notes],
            details: Self.granted
        )
        let expected = try Self.json(Self.granted)
        let opaque = try await client.tokens(for: attempt, resources: [Server.vault])
        #expect(opaque.json["authorization_details"] == expected)
        let api = try ConfidentialClient(server, "vault-api")
        let answer = await api.introspect(try opaque.string("access_token")).json
        #expect(answer["authorization_details"] == expected)
        let signed = try await client.refresh(opaque.string("refresh_token"), resources: [Server.notes])
        #expect(try signed.accessTokenClaims()["authorization_details"] == expected)
    }

    @Test func `the consent page shows all of it in words, and as text`() async throws {
        let server = try await Server.make()
        let client = try Server.client(server)
        let details = #"[{"type":"payment","amount":12.5,"actions":["initiate"],"note":"<b>to \u202e\"Bob\"</b>"}]"#
        let browser = try await server.signedInBrowser()
        let target = try await client.pushedTarget(client.attempt(scope: "openid", details: details))
        let page = await browser.get(target).text
        #expect(page.contains("Make a payment") && page.contains("Amount") && page.contains("12.5"))
        #expect(page.contains("initiate") && page.contains("&lt;b&gt;to \u{FFFD}&quot;Bob&quot;&lt;/b&gt;"))
        #expect(!page.contains("<b>") && !page.contains("\u{202E}"))
    }

    @Test(arguments: [
        "", "{}", "[]", "[1]", "[{}]", #"[{"type":""}]"#, #"{"type":"payment","amount":1}"#, "[",
        "[{\"type\":\"payment\"",
        // Types that do not exist, or are of other clients, in any spelling.
        #"[{"type":"unknown"}]"#, #"[{"type":"Payment","amount":1}]"#, #"[{"type":"payment","amount":1},{"type":"x"}]"#,
        // Members that are missing, unknown, too many, of the wrong value, or refused by the hook.
        #"[{"type":"payment"}]"#, #"[{"type":"payment","amount":1,"more":1}]"#,
        #"[{"type":"payment","amount":1,"actions":["steal"]}]"#, #"[{"type":"payment","amount":1,"actions":[]}]"#,
        #"[{"type":"payment","amount":1,"actions":"status"}]"#, #"[{"type":"payment","amount":1,"actions":[1]}]"#,
        #"[{"type":"payment","amount":1001}]"#, #"[{"type":"payment","amount":1,"amount":2}]"#,
        // Places that are not asked for.
        #"[{"type":"files","locations":["https://files.example.com"]}]"#, #"[{"type":"files","locations":["x"]}]"#,
        // More than anybody could read.
        #"[{"type":"payment","amount":1,"note":""# + String(repeating: "a", count: 257) + #""}]"#,
        "[" + Array(repeating: #"{"type":"payment","amount":1}"#, count: 17).joined(separator: ",") + "]",
        #"[{"type":"payment","amount":"# + String(repeating: "[", count: 20) + String(repeating: "]", count: 20) + "}]",
        #"[{"type":"payment","amount":1}]"# + String(repeating: " ", count: 5000),
    ])
    func `everything else is rejected, pushed or not, and by a client for itself`(details: String) async throws {
        let server = try await Server.make()
        let client = try Server.client(server)
        let attempt = client.attempt(scope: "api:read", details: details)
        let error = "invalid_authorization_details"
        if details.isEmpty {
            // An empty parameter counts as absent.
            #expect(try await client.push(attempt).status == 201)
            return
        }
        expect(try await client.push(attempt), isError: error)
        #expect(try await server.get(client.directTarget(attempt)).callback()["error"] == error)
        let service = try ConfidentialClient(server, "service")
        let asked = FormParameters().naming([], details)
        expect(try await service.tokens(asked, fields: service.basic), isError: error)
    }

    @Test func `a client that is not registered for a type does not get it`() async throws {
        let server = try await Server.make()
        let client = try FakeClient(server)
        let attempt = client.attempt(scope: "api:read", details: Self.granted)
        expect(try await client.push(attempt), isError: "invalid_authorization_details")
    }

    @Test func `tokens have less when less is asked for, never more, and the grant stays as it is`() async throws {
        let client = try Server.client(try await Server.make())
        let attempt = client.attempt(scope: "api:read", details: Self.granted)
        let code = try await client.code(for: attempt)
        let wider = [
            #"[{"type":"payment","amount":101,"actions":["status"]}]"#, #"[{"type":"payment","amount":100}]"#,
            #"[{"type":"payment","amount":100,"actions":["status"],"note":"x"}]"#,
            #"[{"type":"payment","amount":100,"actions":["status","cancel"]}]"#, #"[{"type":"files"}]"#,
            #"[{"type":"payment","amount":100,"actions":[]}]"#, "[]", "x",
        ]
        for details in wider {
            let exchange = client.exchange(code, attempt).naming([], details)
            expect(try await client.post("/token", exchange), isError: "invalid_authorization_details")
        }
        let first = try await client.post("/token", client.exchange(code, attempt).naming([], Self.less))
        let expected = try Self.json(#"[{"type":"payment","actions":["status"],"amount":100}]"#)
        #expect(try first.accessTokenClaims()["authorization_details"] == expected)
        let token = try first.string("refresh_token")
        for details in wider {
            let refused = try await client.refresh(token, resources: [], details: details)
            expect(refused, isError: "invalid_authorization_details")
        }
        let second = try await client.refresh(token)
        #expect(second.json["authorization_details"] == (try Self.json(Self.granted)))
    }

    @Test func `details for one place are in the tokens for that place only`() async throws {
        let client = try Server.client(try await Server.make())
        let details = #"[{"type":"files","locations":["https://files.example.com"]},{"type":"payment","amount":1}]"#
        let attempt = client.attempt(scope: nil, resources: [Server.notes, Server.files], details: details)
        let notes = try await client.tokens(for: attempt, resources: [Server.notes])
        #expect(
            try notes.accessTokenClaims()["authorization_details"] == Self.json(#"[{"type":"payment","amount":1}]"#)
        )
        let files = try await client.refresh(notes.string("refresh_token"), resources: [Server.files])
        #expect(try files.accessTokenClaims()["authorization_details"] == Self.json(details))
    }

    /// Leaves the client only these types, as `client set --authorization-details-type` does it.
    private static func leave(_ types: [String], _ server: ServerUnderTest) async throws {
        var client = try #require(try await server.storage.client("rich"))
        client.authorizationDetailTypes = types
        #expect(try await server.storage.replace(client, by: WriteAttempt(entropy: server.entropy)))
    }

    @Test func `a type that an operator takes away is gone from codes and refresh tokens that were given before`()
        async throws
    {
        let server = try await Server.make()
        let client = try Server.client(server)
        let attempt = client.attempt(scope: "api:read", details: Self.granted)
        let first = try await client.tokens(for: attempt).string("refresh_token")
        let waiting = client.attempt(scope: "api:read", details: Self.granted)
        let code = try await client.code(for: waiting)
        try await Self.leave(["files"], server)
        let cut = try await client.refresh(first)
        #expect(cut.status == 200 && cut.json["scope"] == "api:read", "\(cut.text)")
        #expect(cut.json["authorization_details"] == nil)
        #expect(try cut.accessTokenClaims()["authorization_details"] == nil)
        let named = try await client.refresh(cut.string("refresh_token"), resources: [], details: Self.less)
        #expect(named.status == 200 && named.json["authorization_details"] == nil, "\(named.text)")
        let redeemed = try await client.redeem(code, waiting)
        #expect(redeemed.status == 200 && redeemed.json["authorization_details"] == nil, "\(redeemed.text)")
        try await Self.leave(["files", "payment"], server)
        let whole = try await client.refresh(named.string("refresh_token"))
        #expect(try whole.json["authorization_details"] == Self.json(Self.granted))
    }

    @Test func `without a scope and with no type left there is no token, and the refresh token stays`() async throws {
        let server = try await Server.make()
        var registered = try #require(try await server.storage.client("rich"))
        registered.scope = .empty
        #expect(try await server.storage.replace(registered, by: WriteAttempt(entropy: server.entropy)))
        let client = try Server.client(server)
        let attempt = client.attempt(scope: nil, details: Self.granted)
        let token = try await client.tokens(for: attempt).string("refresh_token")
        try await Self.leave(["files"], server)
        expect(try await client.refresh(token), isError: "invalid_scope")
        try await Self.leave(["payment"], server)
        #expect(try await client.refresh(token).json["authorization_details"] == Self.json(Self.granted))
    }

    @Test func `consent that is remembered covers the same details only`() async throws {
        let client = try Server.client(try await Server.make())
        let browser = try await client.server.signedInBrowser()
        let page = await browser.get(
            try await client.pushedTarget(client.attempt(scope: "openid", details: Self.granted))
        )
        _ = try await browser.submit(page, ["decision": "allow", "remember": "yes"])
        let same = client.attempt(scope: "openid", details: Self.granted)
        #expect(await browser.get(try await client.pushedTarget(same)).status == 303)
        let other = client.attempt(scope: "openid", details: #"[{"type":"payment","amount":101}]"#)
        #expect(await browser.get(try await client.pushedTarget(other)).status == 200)
    }
}
