// SPDX-License-Identifier: Apache-2.0

import DPoP
import HTTPMessage
import JOSE
import OAuthSystem
import PKCE
import StrictJSON
import Synchronization
import TestSupport
import Testing

/// A correct client, unless a test changes its requests.
final class FakeClient: Sendable {
    /// One sign-in attempt.
    struct Attempt: Sendable {
        let verifier: CodeVerifier
        let state: String
        /// The authorization request.
        var parameters: FormParameters
    }

    let server: ServerUnderTest
    let clientID: String
    let redirectURI: String
    /// The key of proofs; `nil` for a client without proofs.
    let key: SoftwareSigningKey?
    /// What it sends with each form, such as an attestation.
    let standing: HTTPFields
    private let knownNonce = Mutex<String?>(nil)

    init(
        _ server: ServerUnderTest,
        clientID: String = "app",
        redirectURI: String = "https://app.example.com/callback",
        key: SoftwareSigningKey?,
        standing: HTTPFields = [:]
    ) {
        self.standing = standing
        self.server = server
        self.clientID = clientID
        self.redirectURI = redirectURI
        self.key = key
    }

    /// The client `app` with a key of its own.
    convenience init(_ server: ServerUnderTest) throws {
        self.init(server, key: try TestKey.p256(2))
    }

    /// The client `other`, with another key.
    static func other(_ server: ServerUnderTest) throws -> FakeClient {
        FakeClient(
            server,
            clientID: "other",
            redirectURI: "https://other.example.com/callback",
            key: try TestKey.p256(3)
        )
    }

    /// The same client with another key, or with none.
    func with(key: SoftwareSigningKey?) -> FakeClient {
        FakeClient(server, clientID: clientID, redirectURI: redirectURI, key: key)
    }

    var nonce: String? {
        get { knownNonce.withLock { $0 } }
        set { knownNonce.withLock { $0 = newValue } }
    }

    /// The thumbprint of the key.
    var thumbprint: String { key?.publicKey.thumbprint.description ?? "" }

    /// A new verifier, a new state, and the request for them.
    func attempt() -> Attempt {
        let verifier = CodeVerifier(entropy: server.entropy)
        let state = Base64URL.encode(server.entropy.bytes(12))
        return Attempt(
            verifier: verifier,
            state: state,
            parameters: [
                "response_type": "code", "client_id": clientID, "redirect_uri": redirectURI, "scope": "api:read",
                "state": state, "code_challenge": verifier.s256Challenge.value, "code_challenge_method": "S256",
            ]
        )
    }

    // MARK: Requests

    /// Posts a form with a proof, and once more if the server requires a nonce.
    func post(_ path: String, _ parameters: FormParameters, fields: HTTPFields = [:]) async throws -> HTTPResponse {
        let first = try await postOnce(path, parameters, fields: fields)
        guard first.error == "use_dpop_nonce" else { return first }
        return try await postOnce(path, parameters, fields: fields)
    }

    /// Posts a form with a proof, and keeps the nonce of the response.
    func postOnce(_ path: String, _ parameters: FormParameters, fields: HTTPFields = [:]) async throws -> HTTPResponse {
        var fields = fields
        for field in standing.all { fields.append(name: field.name, value: field.value) }
        if let proof = try await proof(for: path) { fields.append(name: "DPoP", value: proof) }
        let response = await server.post(path, parameters, fields: fields)
        if let nonce = response.fields["DPoP-Nonce"] { self.nonce = nonce }
        return response
    }

    /// A proof for a POST request, with the changes of a test; `nil` without a key.
    func proof(
        for path: String,
        _ change: (inout JSONObject) -> Void = { _ in }
    ) async throws -> String? {
        guard let key else { return nil }
        var claims: JSONObject = [
            "jti": .string(Base64URL.encode(server.entropy.bytes(16))),
            "htm": "POST",
            "htu": .string(ServerUnderTest.issuer + path),
            "iat": .number(JSONNumber(server.clock.now().secondsSince1970)),
        ]
        claims["nonce"] = nonce.map { .string($0) }
        change(&claims)
        return try await CompactJWS.sign(
            header: ["typ": "dpop+jwt", "jwk": .object(key.publicKey.json)],
            payload: JSONValue.object(claims).encoded(),
            with: key
        )
    }

    /// Makes sure that the next proof has a nonce.
    func fetchNonce() async throws {
        guard nonce == nil else { return }
        _ = try await postOnce(
            "/token",
            ["grant_type": "refresh_token", "client_id": clientID, "refresh_token": "none"]
        )
    }
}

// MARK: The steps of a sign-in

extension FakeClient {
    func push(_ attempt: Attempt) async throws -> HTTPResponse {
        try await post("/par", attempt.parameters)
    }

    /// The authorization endpoint with the `request_uri` of a pushed request.
    func pushedTarget(_ attempt: Attempt) async throws -> String {
        let requestURI = try await push(attempt).string("request_uri")
        let parameters: FormParameters = ["client_id": clientID, "request_uri": requestURI]
        return "/authorize?" + parameters.encoded()
    }

    /// The authorization endpoint with a request that was not pushed.
    func directTarget(_ attempt: Attempt) -> String {
        "/authorize?" + attempt.parameters.encoded()
    }

    /// The authorization response that the browser brings after the user allows the request.
    func authorize(_ attempt: Attempt, in browser: FakeBrowser) async throws -> FormParameters {
        let page = await browser.get(try await pushedTarget(attempt))
        let answer = try await browser.decide("allow", on: page)
        #expect(answer.fields["Location"]?.hasPrefix(redirectURI) == true)
        return try answer.callback()
    }

    /// A code for a user who is already signed in.
    func code(for attempt: Attempt) async throws -> String {
        let browser = try await server.signedInBrowser()
        return try #require(try await authorize(attempt, in: browser)["code"])
    }

    /// The token request for a code.
    func exchange(_ code: String, _ attempt: Attempt) -> FormParameters {
        [
            "grant_type": "authorization_code", "client_id": clientID, "code": code, "redirect_uri": redirectURI,
            "code_verifier": attempt.verifier.text,
        ]
    }

    /// The token request for a refresh token.
    func refreshing(_ token: String) -> FormParameters {
        ["grant_type": "refresh_token", "client_id": clientID, "refresh_token": token]
    }

    func redeem(_ code: String, _ attempt: Attempt) async throws -> HTTPResponse {
        try await post("/token", exchange(code, attempt))
    }

    func refresh(_ token: String) async throws -> HTTPResponse {
        try await post("/token", refreshing(token))
    }

    /// A whole sign-in.
    func signIn() async throws -> HTTPResponse {
        let attempt = attempt()
        let response = try await redeem(try await code(for: attempt), attempt)
        #expect(response.status == 200, "\(response.text)")
        return response
    }
}

/// Expects that the owner of a code can still redeem it: nothing was consumed.
func expectStillWorks(
    _ code: String,
    of client: FakeClient,
    _ attempt: FakeClient.Attempt,
    sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    let response = try await client.redeem(code, attempt)
    #expect(response.status == 200, "\(response.text)", sourceLocation: sourceLocation)
}
