// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import ServerStorage
import StrictJSON
import TestSupport
import Testing

/// An app that asks for the password itself: each request has a fresh proof of its key, and an attestation of it.
struct FirstPartyApp: Sendable {
    static let path = "/authorize-challenge"
    static let password = "the password of the user"

    let client: FakeClient

    var server: ServerUnderTest { client.server }

    /// One installation of an attested app.
    init(_ server: ServerUnderTest, _ clientID: String = "notes", key: UInt8 = 2) async throws {
        client = try await AttestedApp(server, clientID, key: key).client()
    }

    /// An app that sends what a test says.
    init(_ client: FakeClient) {
        self.client = client
    }

    /// A server with two attested first-party apps, `notes` and `shop`, an attested app of others, `third`, and a
    /// first-party app that nobody attests, `open`; with the users `ada` and `bob`, whose hashes are cheap.
    static func server(
        storage: (any AuthorizationStorage)? = nil,
        audit: (any AuditSink)? = nil,
        recordsProofsInStorage: Bool = false,
        hashes: Counter = Counter(),
        _ change: (inout ServerConfiguration) -> Void = { _ in }
    ) async throws -> ServerUnderTest {
        let attester = try FakeAttester.ofTheApps().trusted(for: ["notes", "shop", "third"])
        let hasher = PasswordHasher.unprotected(entropy: SeededEntropy(), derived: hashes.add)
        let server = try await ServerUnderTest.inMemory(
            clients: try registrations(),
            storage: storage,
            recordsProofsInStorage: recordsProofsInStorage,
            passwords: hasher,
            audit: audit
        ) { configuration in
            configuration.attesters = [attester]
            configuration.firstParty = FirstPartyPolicy(isOn: true)
            change(&configuration)
        }
        let hash = try await hasher.hash(password)
        for name in ["ada", "bob"] { _ = try await server.storage.setPassword(hash, of: "subject-of-\(name)") }
        return server
    }

    private static func registrations() throws -> [RegisteredClient] {
        try ["notes", "shop", "third", "open"].map { clientID in
            var client = try AttestedApp.registration(clientID)
            client.isFirstParty = clientID != "third"
            if clientID == "open" {
                client.tokenEndpointAuthMethod = .none
                client.dpopBoundAccessTokens = false
            }
            return client
        }
    }

    // MARK: Requests

    func post(_ parameters: FormParameters, fields: HTTPFields = [:]) async throws -> HTTPResponse {
        try await client.post(Self.path, parameters, fields: fields)
    }

    /// The first request of an attempt.
    func begin(_ attempt: FakeClient.Attempt? = nil, _ more: FormParameters = [:]) async throws -> HTTPResponse {
        var parameters = (attempt ?? client.attempt()).parameters
        for parameter in more.all { parameters.append(parameter.name, parameter.value) }
        return try await post(parameters)
    }

    /// A value to answer with.
    func session(_ attempt: FakeClient.Attempt? = nil, _ more: FormParameters = [:]) async throws -> String {
        let response = try await begin(attempt, more)
        #expect(response.status == 403, "\(response.text)")
        return try response.string("auth_session")
    }

    /// An answer with a password.
    static func answer(
        _ session: String,
        as username: String = "ada",
        password: String = Self.password
    ) -> FormParameters {
        ["auth_session": session, "step": "password", "username": username, "password": password]
    }

    func answer(
        _ session: String,
        as username: String = "ada",
        password: String = Self.password,
        fields: HTTPFields = [:]
    ) async throws -> HTTPResponse {
        try await post(Self.answer(session, as: username, password: password), fields: fields)
    }

    /// The response with the code, after a first request and one answer.
    func finish(_ attempt: FakeClient.Attempt? = nil, _ more: FormParameters = [:]) async throws -> HTTPResponse {
        let response = try await answer(try await session(attempt, more))
        #expect(response.status == 200, "\(response.text)")
        return response
    }

    /// A whole sign-in; the response of the token endpoint.
    func signIn(_ more: FormParameters = [:]) async throws -> (code: HTTPResponse, tokens: HTTPResponse) {
        let attempt = client.attempt()
        let response = try await finish(attempt, more)
        let tokens = try await client.redeem(try response.string("authorization_code"), attempt)
        #expect(tokens.status == 200, "\(tokens.text)")
        return (response, tokens)
    }

    /// Expects that a sign-in goes on: nothing was used up.
    func expectGoesOn(_ session: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let response = try await answer(session)
        #expect(response.status == 200, "\(response.text)", sourceLocation: sourceLocation)
    }
}

/// Expects the one answer for every session that cannot be continued.
func expectSessionRejected(_ response: HTTPResponse, sourceLocation: SourceLocation = #_sourceLocation) {
    expect(response, isError: "invalid_session", sourceLocation: sourceLocation)
    #expect(
        response.text == """
            {"error":"invalid_session","error_description":"the sign-in is unknown, over, or not of this app and key: \
            start again"}
            """,
        sourceLocation: sourceLocation
    )
}

/// Expects the question for another answer.
///
/// - Returns: The next value.
@discardableResult
func expectAskedAgain(
    _ response: HTTPResponse,
    sourceLocation: SourceLocation = #_sourceLocation
) throws -> String {
    expect(response, isError: "insufficient_authorization", status: 403, sourceLocation: sourceLocation)
    #expect(response.json["problem"]?.stringValue == "wrong_answer", sourceLocation: sourceLocation)
    return try response.string("auth_session")
}
