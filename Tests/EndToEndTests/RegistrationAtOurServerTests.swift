// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import DPoP
import HTTPMessage
import HTTPServer
import JOSE
import OAuthClient
import OAuthCore
import OAuthSystem
import ServerStorage
import TestSupport
import Testing

@testable import KeyboundCommand

@Suite("Our client registers itself at our own authorization server, over a socket")
struct RegistrationAtOurServerTests {
    @Test func `with a token of the operator, once`() async throws {
        let handler = LateBoundHandler()
        let listener = try HTTPListener(port: 0, handler: handler.respond)
        let issuer = "http://127.0.0.1:\(listener.port)"
        let storage = MemoryAuthorizationStorage()
        let engine = try AuthorizationEngine(
            configuration: ServerConfiguration(
                issuer: try URI(parsing: issuer),
                audience: issuer + "/api",
                scopes: [ScopeDescription(name: "notes:read")],
                allowsInsecureLoopbackIssuer: true
            ),
            storage: storage,
            signingKey: SoftwareSigningKey(),
            replay: MemoryReplayStore(),
            nonceSecrets: [DPoPNonceSecret(entropy: SystemEntropy())]
        )
        handler.set { await engine.respond(to: $0) }
        let policy = RegistrationTokenPolicy(scope: try Scope(parsing: "notes:read"))
        let token = try await ServerAdministration(storage: storage).newRegistrationToken(policy: policy)
        let registrar = try ClientRegistrar(issuer: issuer, allowsInsecureHTTPOnLoopback: true)
        var metadata = ClientMetadata()
        metadata.clientName = "Notes"
        metadata.redirectURIs = ["http://127.0.0.1/callback"]
        metadata.tokenEndpointAuthMethod = .clientSecretBasic
        metadata.scope = try Scope(parsing: "notes:read")
        let refused = await #expect(throws: OAuthClientError.self) { try await registrar.register(metadata) }
        #expect(refused?.answer?.error == .invalidToken)
        let client = try await registrar.register(metadata, initialAccessToken: token)
        let stored = try #require(storage.client(client.clientID))
        #expect(stored.name == "Notes" && stored.dpopBoundAccessTokens)
        #expect(stored.secretHashes == [SecretHash(of: try #require(client.clientSecret).value)])
        await #expect(throws: OAuthClientError.self) {
            try await registrar.register(metadata, initialAccessToken: token)
        }
        await listener.stop(draining: .seconds(2))
    }
}
