// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import ServerStorage
import StrictJSON
import TestSupport

/// One installation of an app whose copies an attester vouches for.
struct AttestedApp: Sendable {
    static let field = ClientAttestationField.attestation

    let server: ServerUnderTest
    let clientID: String
    let key: SoftwareSigningKey
    let attester: FakeAttester

    init(_ server: ServerUnderTest, _ clientID: String = "notes", key: UInt8 = 2) throws {
        (self.server, self.clientID) = (server, clientID)
        self.key = try TestKey.p256(key)
        attester = try FakeAttester.ofTheApps()
    }

    /// A server with two apps of one publisher, and clients that authenticate in other ways.
    static func server(
        storage: (any AuthorizationStorage)? = nil,
        attesters: [TrustedAttester]? = nil,
        audit: (any AuditSink)? = nil,
        _ change: (inout ServerConfiguration) -> Void = { _ in }
    ) async throws -> ServerUnderTest {
        let ours = try FakeAttester.ofTheApps().trusted(for: ["notes", "shop", "old", "unregistered"])
        return try await ServerUnderTest.inMemory(
            clients: [
                try registration("notes"), try registration("shop"),
                try ConfidentialClient.registration("signed", .privateKeyJWT),
                try ConfidentialClient.registration("api", .clientSecretBasic),
            ],
            storage: storage,
            audit: audit
        ) { configuration in
            configuration.attesters = attesters ?? [ours]
            change(&configuration)
        }
    }

    static func registration(_ clientID: String) throws -> RegisteredClient {
        var client = try ServerUnderTest.client(
            clientID,
            redirectURIs: ["https://app.example.com/callback"]
        )
        client.tokenEndpointAuthMethod = .attestationWithDPoP
        client.grantTypes = [.authorizationCode, .refreshToken, .deviceCode]
        return client
    }

    /// An attestation of its key, with the changes of a test.
    func attestation(
        _ change: (inout JSONObject) -> Void = { _ in },
        header: (inout JSONObject) -> Void = { _ in }
    ) async throws -> String {
        var claims = FakeAttester.claims(of: key.publicKey, for: clientID, at: server.clock.now())
        change(&claims)
        return try await attester.sign(claims, header: header)
    }

    /// Seconds from now, as a claim.
    func time(_ offset: Int64) -> JSONValue {
        .number(JSONNumber(server.clock.now().secondsSince1970 + offset))
    }

    /// The app, which sends a correct attestation with each request.
    func client() async throws -> FakeClient {
        client(sending: [Self.field: try await attestation()])
    }

    /// The app, which sends these fields with each request.
    func client(sending fields: HTTPFields, key: SoftwareSigningKey? = nil) -> FakeClient {
        FakeClient(server, clientID: clientID, key: key ?? self.key, standing: fields)
    }
}
