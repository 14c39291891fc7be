// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import JOSE
import OAuthCore
import ServerStorage
import StrictJSON
import TestSupport
import Testing

@Suite("Authorization details of a token that is exchanged, RFC 9396 section 6")
struct ExchangedDetailsTests {
    private static let payment = #"{"type":"payment","actions":["initiate","status"],"amount":100}"#
    private static let files = #"{"type":"files"}"#

    private static func json(_ text: String) throws -> JSONValue { try JSONValue(parsing: Array(text.utf8)) }

    /// A service of the API that may have authorization details of some types.
    private static func service(_ clientID: String, _ types: [String]) throws -> RegisteredClient {
        try ConfidentialClient.registration(clientID, .clientSecretBasic) { client in
            client.scope = try Scope(parsing: "api:read")
            client.grantTypes = [.tokenExchange]
            client.introspectionAudiences = [ResourcefulServer.notes]
            client.tokenExchangeRights = [.subjectTokensBoundToKeysOfOthers]
            client.authorizationDetailTypes = types
        }
    }

    /// A server with two such services, and a user's token with details of two types.
    private static func start() async throws -> (server: ServerUnderTest, token: String) {
        let server = try await ResourcefulServer.make(clients: [
            try service("backend", ["payment"]), try service("plain", []),
        ])
        let app = try ResourcefulServer.client(server)
        let attempt = app.attempt(scope: "api:read", details: "[\(payment),\(files)]")
        return (server, try await app.tokens(for: attempt).string("access_token"))
    }

    @Test func `authorization details only become fewer, and of types that the client may have`() async throws {
        let (server, token) = try await Self.start()
        let all = try CompactJWS(parsing: token).payloadObject()["authorization_details"]
        #expect(try all == Self.json("[\(Self.payment),\(Self.files)]"))
        let (backend, plain) = (try ExchangeClient(server), try ExchangeClient(server, "plain", key: 5))
        let response = try await backend.exchange(token)
        let expected = try Self.json("[\(Self.payment)]")
        #expect(try response.claims()["authorization_details"] == expected)
        #expect(response.json["authorization_details"] == expected)
        let without = try await plain.exchange(token)
        #expect(try without.claims()["authorization_details"] == nil)
        #expect(without.json["authorization_details"] == nil)
        // What was left out does not come back.
        let again = try await backend.exchange(without.string("access_token"))
        #expect(try again.claims()["authorization_details"] == nil)
    }

    @Test func `a client gets the details that it asks for, and never others`() async throws {
        let (server, token) = try await Self.start()
        let backend = try ExchangeClient(server)
        let less = #"[{"type":"payment","actions":["status"],"amount":100}]"#
        let response = try await backend.exchange(token, ["authorization_details": less])
        #expect(try response.claims()["authorization_details"] == Self.json(less))
        let narrowed = try response.string("access_token")
        let refused = [
            "[\(Self.files)]", "[\(Self.payment),\(Self.files)]",
            #"[{"type":"payment","actions":["status"],"amount":101}]"#,
            #"[{"type":"payment","amount":100}]"#, #"[{"type":"unknown"}]"#, "[]", "x",
        ]
        for details in refused {
            let answer = try await backend.exchange(token, ["authorization_details": details])
            expect(answer, isError: "invalid_authorization_details")
        }
        let wider = try await backend.exchange(narrowed, ["authorization_details": "[\(Self.payment)]"])
        expect(wider, isError: "invalid_authorization_details")
    }
}
