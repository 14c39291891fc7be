// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import StrictJSON
import TestSupport
import Testing

/// The client of ``ClientDocumentTests``, with a document that says where the keys are that it signs assertions with.
struct SigningDocumentClient: Sendable {
    static let keysURL = "https://notes.example/oauth/keys.json"

    let server: ServerUnderTest
    let client: FakeClient
    private let signer: ConfidentialClient

    static func document(_ change: (inout JSONObject) -> Void = { _ in }) -> JSONObject {
        var document = ClientDocumentTests.document
        document["token_endpoint_auth_method"] = "private_key_jwt"
        document["jwks_uri"] = .string(keysURL)
        change(&document)
        return document
    }

    /// A key of the client, and its name.
    static func key(_ number: UInt8) throws -> (key: SoftwareSigningKey, name: String) {
        (try TestKey.p256(number), "key-\(number)")
    }

    /// A set of the public keys with these numbers.
    static func keySet(_ numbers: UInt8...) throws -> JSONObject {
        JWKSet(
            try numbers.map { number in
                let (key, name) = try Self.key(number)
                return key.publicKey.named(name, algorithm: .es256)
            }
        ).json
    }

    init(_ server: ServerUnderTest) throws {
        self.server = server
        client = try ClientDocumentTests().client(server)
        signer = try ConfidentialClient(server, ClientDocumentTests.url)
    }

    /// Posts a form with an assertion.
    func post(
        _ path: String,
        _ parameters: FormParameters,
        signedBy key: SoftwareSigningKey,
        _ keyID: String?,
        _ change: (inout JSONObject) -> Void = { _ in }
    ) async throws -> HTTPResponse {
        var header: JSONObject = [:]
        header["kid"] = keyID.map { .string($0) }
        let form = try await signer.signed(header: header, by: key, change)
        var parameters = parameters
        for parameter in form.all where parameter.name != "client_id" {
            parameters.append(parameter.name, parameter.value)
        }
        return try await client.post(path, parameters)
    }

    /// Pushes an authorization request with an assertion by the key with a number.
    func push(_ number: UInt8) async throws -> HTTPResponse {
        let (key, name) = try Self.key(number)
        return try await post("/par", client.attempt().parameters, signedBy: key, name)
    }

    /// A whole sign-in.
    func signIn(
        _ key: SoftwareSigningKey,
        _ keyID: String?,
        _ change: (inout JSONObject) -> Void = { _ in }
    ) async throws -> HTTPResponse {
        let attempt = client.attempt()
        let push = try await post("/par", attempt.parameters, signedBy: key, keyID, change)
        let requestURI = try push.string("request_uri")
        let query: FormParameters = ["client_id": client.clientID, "request_uri": requestURI]
        let browser = try await server.signedInBrowser()
        let page = await browser.get("/authorize?" + query.encoded())
        let answer = try await browser.decide("allow", on: page)
        let code = try #require(try answer.callback()["code"])
        return try await post("/token", client.exchange(code, attempt), signedBy: key, keyID, change)
    }
}
