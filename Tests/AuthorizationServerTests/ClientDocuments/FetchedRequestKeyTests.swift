// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import JOSE
import OAuthSystem
import ServerStorage
import StrictJSON
import TestSupport
import Testing

@Suite("Signed requests of clients with a key set: RFC 9101 section 6.2, RFC 7591 section 2")
struct FetchedRequestKeyTests {
    private static let url = ClientDocumentTests.url
    private static let keysURL = SigningDocumentClient.keysURL
    private let base = ClientDocumentTests()
    private var documents: FakeDocuments { base.documents }

    private var fetches: Int { documents.requests.count(where: { $0.target == Self.keysURL }) }

    /// A client whose document is published, and whose set has the key with a number; without one there is no set.
    private func client(_ number: UInt8?) async throws -> SigningDocumentClient {
        documents.publish(Self.url, SigningDocumentClient.document())
        if let number { documents.publish(Self.keysURL, try SigningDocumentClient.keySet(number)) }
        return try SigningDocumentClient(try await base.server())
    }

    /// An authorization request, signed by the key with a number.
    private func object(
        _ client: SigningDocumentClient,
        _ parameters: FormParameters,
        by number: UInt8
    ) async throws -> String {
        let (key, name) = try SigningDocumentClient.key(number)
        let now = client.server.clock.now().secondsSince1970
        var claims: JSONObject = [
            "iss": .string(Self.url), "aud": .string(ServerUnderTest.issuer), "nbf": .number(JSONNumber(now)),
            "exp": .number(JSONNumber(now + 60)),
        ]
        for parameter in parameters.all { claims[parameter.name] = .string(parameter.value) }
        return try await CompactJWS.sign(
            header: ["typ": "oauth-authz-req+jwt", "kid": .string(name)],
            payload: JSONValue.object(claims).encoded(),
            with: key
        )
    }

    private static func target(_ object: String) -> String {
        let query: FormParameters = ["client_id": url, "request": object]
        return "/authorize?" + query.encoded()
    }

    /// Pushes a request that one key signed, with an assertion by another.
    private func push(
        _ client: SigningDocumentClient,
        requestBy number: UInt8,
        assertionBy other: UInt8
    ) async throws -> HTTPResponse {
        let object = try await object(client, client.client.attempt().parameters, by: number)
        let (key, name) = try SigningDocumentClient.key(other)
        return try await client.post("/par", ["client_id": Self.url, "request": object], signedBy: key, name)
    }

    @Test func `a browser brings a request that is signed by a key of the set, which is fetched once`() async throws {
        let client = try await client(11)
        let browser = try await client.server.signedInBrowser()
        let (key, name) = try SigningDocumentClient.key(11)
        for _ in 0..<2 {
            let attempt = client.client.attempt()
            let page = await browser.get(Self.target(try await object(client, attempt.parameters, by: 11)))
            let answer = try await browser.decide("allow", on: page).callback()
            #expect(answer["state"] == attempt.state)
            let exchange = client.client.exchange(try #require(answer["code"]), attempt)
            #expect(try await client.post("/token", exchange, signedBy: key, name).status == 200)
        }
        #expect(fetches == 1)
    }

    @Test func `a pushed request is signed by a key of the set, also by another one than the assertion`() async throws {
        let client = try await client(11)
        #expect(try await push(client, requestBy: 11, assertionBy: 11).status == 201)
        expect(try await push(client, requestBy: 12, assertionBy: 11), isError: "invalid_request_object")
        #expect(fetches == 1)
        documents.publish(Self.keysURL, try SigningDocumentClient.keySet(11, 12))
        client.server.clock.advance(by: .seconds(10))
        #expect(try await push(client, requestBy: 12, assertionBy: 11).status == 201)
        #expect(fetches == 2)
    }

    @Test func `attack: a key that is not in the set signs no request, and fetches it once in ten seconds`()
        async throws
    {
        let client = try await client(11)
        let browser = try await client.server.signedInBrowser()
        for (seconds, count) in [(0, 1), (0, 1), (10, 2), (0, 2)] as [(Int64, Int)] {
            client.server.clock.advance(by: .seconds(seconds))
            let target = Self.target(try await object(client, client.client.attempt().parameters, by: 12))
            expect(await browser.get(target), isErrorPageWith: "invalid_request_object")
            #expect(fetches == count)
        }
    }

    @Test func `a request that no key can make valid makes the server fetch no keys`() async throws {
        let client = try await client(11)
        let browser = try await client.server.signedInBrowser()
        let header = Base64URL.encode(Array(#"{"alg":"HS256","typ":"oauth-authz-req+jwt"}"#.utf8))
        for text in ["a.b.c", "\(header).e30.AAAA"] {
            expect(await browser.get(Self.target(text)), isErrorPageWith: "invalid_request_object")
        }
        // A request without a valid assertion is rejected before anybody looks at its signature.
        let object = try await object(client, client.client.attempt().parameters, by: 11)
        let bare = try await client.client.post("/par", ["client_id": Self.url, "request": object])
        expect(bare, isError: "invalid_client")
        #expect(fetches == 0)
    }

    @Test func `without the set no request is accepted, and it is not tried again at once`() async throws {
        let client = try await client(nil)
        let browser = try await client.server.signedInBrowser()
        for _ in 0..<2 {
            let target = Self.target(try await object(client, client.client.attempt().parameters, by: 11))
            expect(await browser.get(target), isErrorPageWith: "invalid_client")
        }
        #expect(fetches == 1)
    }

    @Test func `RFC 9101 section 10.5, a document that forbids unsigned requests is followed`() async throws {
        for member in ["require_signed_request_object", "request_object_signing_alg"] {
            let base = ClientDocumentTests()
            let isRequired = member.hasPrefix("require")
            let value: JSONValue = isRequired ? true : "ES256"
            base.documents.publish(Self.url, SigningDocumentClient.document { $0[member] = value })
            base.documents.publish(Self.keysURL, try SigningDocumentClient.keySet(11))
            let client = try SigningDocumentClient(try await base.server())
            // The algorithm alone is one for requests that are signed.
            #expect(try await client.push(11).status == (isRequired ? 400 : 201))
            #expect(try await push(client, requestBy: 11, assertionBy: 11).status == 201)
            let stored = try #require(try await client.server.storage.client(Self.url))
            #expect(stored.requireSignedRequestObject == isRequired)
            let algorithm: SignatureAlgorithm? = isRequired ? nil : .es256
            #expect(stored.requestObjectSigningAlgorithm == algorithm)
        }
    }
}
