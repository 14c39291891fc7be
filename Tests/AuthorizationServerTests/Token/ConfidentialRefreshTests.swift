// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import ServerStage
import StrictJSON
import TestSupport
import Testing

@Suite(
    "RFC 9449 section 5: the refresh token of a client with a credential of its own is bound to the client",
    .overSocketsOnEveryStore
)
struct ConfidentialRefreshTests {
    /// A client with a secret, and the DPoP key that it uses.
    private struct Session {
        let client: ConfidentialClient
        let prover: FakeClient

        init(_ server: ServerUnderTest, _ clientID: String = "post") throws {
            client = try ConfidentialClient(server, clientID)
            prover = FakeClient(server, clientID: clientID, key: try TestKey.p256(2))
        }

        func signIn() async throws -> HTTPResponse {
            let attempt = prover.attempt()
            let pushed = try await post("/par", attempt.parameters)
            let browser = try await prover.server.signedInBrowser()
            let target: FormParameters = [
                "client_id": client.clientID, "request_uri": try pushed.string("request_uri"),
            ]
            let page = await browser.get("/authorize?" + target.encoded())
            let code = try #require(try await browser.decide("allow", on: page).callback()["code"])
            return try await post("/token", prover.exchange(code, attempt))
        }

        func post(
            _ path: String,
            _ form: FormParameters,
            with key: SoftwareSigningKey?? = nil
        ) async throws -> HTTPResponse {
            let sender = key.map { prover.with(key: $0) } ?? prover
            return try await sender.post(
                path,
                form.with("client_id", client.clientID).adding("client_secret", client.secret)
            )
        }
    }

    private static func thumbprint(_ response: HTTPResponse) throws -> JSONValue? {
        try CompactJWS(parsing: try response.string("access_token")).payloadObject()["cnf"]?.objectValue?["jkt"]
    }

    @Test func `it may change its DPoP key, and each access token is bound to the key of its proof`() async throws {
        let session = try Session(try await ConfidentialClient.server())
        let first = try await session.signIn()
        #expect(first.status == 200, "\(first.text)")
        let other = try TestKey.p256(3)
        let second = try await session.post(
            "/token",
            session.prover.refreshing(first.string("refresh_token")),
            with: other
        )
        #expect(second.status == 200, "\(second.text)")
        #expect(try Self.thumbprint(second) == .string(other.publicKey.thumbprint.description))
        let third = try await session.post("/token", session.prover.refreshing(second.string("refresh_token")))
        #expect(third.status == 200, "\(third.text)")
    }

    @Test func `without a proof, and by another client, it is of no use`() async throws {
        let server = try await ConfidentialClient.server()
        let session = try Session(server)
        let token = try await session.signIn().string("refresh_token")
        let unproven = try await session.post("/token", session.prover.refreshing(token), with: .some(nil))
        expect(unproven, isError: "invalid_dpop_proof")
        let thief = try FakeClient(server)
        expect(try await thief.refresh(token), isError: "invalid_grant")
        let noSecret = try await session.prover.refresh(token)
        expect(noSecret, isError: "invalid_client")
        #expect(try await session.post("/token", session.prover.refreshing(token)).status == 200)
    }

    @Test func `it has the grace of a lost response`() async throws {
        let session = try Session(try await ConfidentialClient.server())
        let token = try await session.signIn().string("refresh_token")
        for _ in 0..<2 {
            let response = try await session.post("/token", session.prover.refreshing(token))
            #expect(response.status == 200, "\(response.text)")
        }
    }

    @Test func `with the setting it is bound to the key too, as that of a public client always is`() async throws {
        let session = try Session(
            try await ConfidentialClient.server { $0.bindsRefreshTokensOfConfidentialClients = true }
        )
        let token = try await session.signIn().string("refresh_token")
        let moved = try await session.post("/token", session.prover.refreshing(token), with: try TestKey.p256(3))
        expect(moved, isError: "invalid_grant")
        #expect(try await session.post("/token", session.prover.refreshing(token)).status == 200)
    }
}
