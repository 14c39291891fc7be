// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import JOSE
import OAuthCore
import ServerStorage
import StrictJSON
import TestSupport
import Testing

/// A service that exchanges tokens, and its requests (RFC 8693).
struct ExchangeClient: Sendable {
    static let accessToken = "urn:ietf:params:oauth:token-type:access_token"

    let server: ServerUnderTest
    let credentials: ConfidentialClient
    /// Makes the proofs.
    let prover: FakeClient

    /// A server with an app that users sign in to, and services that exchange its tokens.
    static func server(
        storage: (any AuthorizationStorage)? = nil,
        recordsProofsInStorage: Bool = false,
        _ change: (inout ServerConfiguration) -> Void = { _ in }
    ) async throws -> ServerUnderTest {
        try await ServerUnderTest.inMemory(
            clients: [
                try registration("backend") { $0.tokenExchangeRights = [.subjectTokensBoundToKeysOfOthers] },
                try registration("relay") { $0.tokenExchangeRights = [.subjectTokensBoundToKeysOfOthers] },
                try registration("silent") {
                    $0.tokenExchangeRights = [
                        .subjectTokensBoundToKeysOfOthers, .impersonationWithoutNamingTheActor,
                    ]
                },
                try registration("careful"),
                try registration("stranger") { $0.introspectionAudiences = [] },
                try registration("stranger-with-right") {
                    $0.introspectionAudiences = []
                    $0.tokenExchangeRights = [.subjectTokensBoundToKeysOfOthers]
                },
                try registration("bearer") {
                    $0.dpopBoundAccessTokens = false
                    $0.tokenExchangeRights = [.subjectTokensBoundToKeysOfOthers]
                },
            ],
            storage: storage,
            recordsProofsInStorage: recordsProofsInStorage,
            change
        )
    }

    private static func registration(
        _ clientID: String,
        _ change: (inout RegisteredClient) throws -> Void = { _ in }
    ) throws -> RegisteredClient {
        try ConfidentialClient.registration(clientID, .clientSecretBasic) { client in
            client.scope = try Scope(parsing: "api:read")
            client.grantTypes = [.tokenExchange, .clientCredentials, .authorizationCode]
            client.introspectionAudiences = [ServerUnderTest.audience]
            try change(&client)
        }
    }

    init(_ server: ServerUnderTest, _ clientID: String = "backend", key: UInt8? = 4) throws {
        self.server = server
        credentials = try ConfidentialClient(server, clientID)
        prover = FakeClient(server, clientID: clientID, key: try key.map { try TestKey.p256($0) })
    }

    func exchange(
        _ token: String,
        _ more: FormParameters = [:],
        _ change: (FormParameters) -> FormParameters = { $0 }
    ) async throws -> HTTPResponse {
        var parameters: FormParameters = [
            "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "subject_token": token,
            "subject_token_type": Self.accessToken,
        ]
        for parameter in more.all { parameters.append(parameter.name, parameter.value) }
        return try await prover.post("/token", change(parameters), fields: credentials.basic)
    }

    /// A token for the client itself.
    func ownToken() async throws -> String {
        let parameters: FormParameters = ["grant_type": "client_credentials"]
        return try await prover.post("/token", parameters, fields: credentials.basic).string("access_token")
    }

    /// A user's token for the app, with the key of the app, and both scopes.
    static func personsToken(_ server: ServerUnderTest) async throws -> HTTPResponse {
        let client = try FakeClient(server)
        var attempt = client.attempt()
        attempt.parameters = attempt.parameters.with("scope", "api:read api:write")
        let response = try await client.redeem(try await client.code(for: attempt), attempt)
        #expect(response.status == 200, "\(response.text)")
        return response
    }

    /// The same token with other claims, signed by the server.
    static func changed(_ token: String, _ change: (inout JSONObject) -> Void) async throws -> String {
        let jws = try CompactJWS(parsing: token)
        var claims = try jws.payloadObject()
        change(&claims)
        let payload = JSONValue.object(claims).encoded()
        let header: JSONObject = ["typ": "at+jwt", "kid": .string(try #require(jws.header["kid"]?.stringValue))]
        return try await CompactJWS.sign(header: header, payload: payload, with: TestKey.p256(1))
    }
}

extension HTTPResponse {
    /// The claims of the access token in a JSON body.
    func claims() throws -> JSONObject {
        try CompactJWS(parsing: string("access_token")).payloadObject()
    }
}
