// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import DPoP
import Foundation
import HTTPMessage
import HTTPServer
import JOSE
import OAuthClient
import OAuthCore
import OAuthSystem
import OAuthTransport
import ResourceServer
import ServerStorage
import StrictJSON
import Synchronization
import TestSupport
import Testing

@testable import KeyboundCommand

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("The profile fapi2 at our own authorization server, over TLS", .timeLimit(.minutes(2)))
struct FAPI2AtOurServerTests {
    private static let redirectURI = "http://127.0.0.1/callback"

    /// A server and an API behind one proxy that ends TLS, a person, and a client that is registered with a key.
    private final class Place: Sendable {
        let issuer: String
        let transport: CurlTransport
        private let front: PythonServer
        private let listener: HTTPListener
        private let log = Mutex<[HTTPRequest]>([])

        init(clientKey: JWK) async throws {
            let slot = LateBoundHandler()
            listener = try HTTPListener(port: 0, handler: slot.respond)
            front = try await PythonServer(.front, before: listener.port)
            issuer = front.base
            var curl = CurlTransportConfiguration()
            curl.certificateAuthorityFile = front.authorityFile
            curl.proxy = ""
            transport = CurlTransport(curl)
            let engine = try await Self.engine(issuer, clientKey)
            let keys = JWKSetCache(uri: try URI(parsing: issuer + "/jwks"), transport: transport)
            let guarded = GuardConfiguration(
                issuer: issuer,
                address: try URI(parsing: issuer),
                audience: issuer + "/notes"
            )
            let api = try NotesAPI(requestGuard: RequestGuard(configuration: guarded, keys: keys))
            slot.set { [weak self] request in
                self?.log.withLock { $0.append(request) }
                return request.path == "/notes" ? await api.respond(to: request) : await engine.respond(to: request)
            }
        }

        private static func engine(_ issuer: String, _ clientKey: JWK) async throws -> AuthorizationEngine {
            let storage = MemoryAuthorizationStorage()
            let administration = ServerAdministration(storage: storage)
            _ = try await administration.addUser(username: "ada", password: "a long password")
            try await administration.addClient(
                RegisteredClient(
                    clientID: "bank",
                    name: "Bank",
                    redirectURIs: [redirectURI],
                    scope: Scope([NotesAPI.scope]),
                    requirePushedAuthorizationRequests: true,
                    tokenEndpointAuthMethod: .privateKeyJWT,
                    jwks: JWKSet([clientKey]),
                    createdAt: SystemWallClock().now()
                )
            )
            return try AuthorizationEngine(
                configuration: ServerConfiguration(
                    issuer: URI(parsing: issuer),
                    audience: issuer + "/notes",
                    scopes: [ScopeDescription(name: NotesAPI.scope)]
                ),
                storage: storage,
                signingKey: SoftwareSigningKey(),
                replay: MemoryReplayStore(),
                nonceSecrets: [DPoPNonceSecret(entropy: SystemEntropy())],
                report: { _ in }
            )
        }

        func requests(to path: String) -> [HTTPRequest] {
            log.withLock { $0.filter { $0.path == path } }
        }

        func client(_ key: some SigningKey) throws -> OAuth2Client {
            var configuration = OAuth2ClientConfiguration.fapi2
            configuration.clientAuthentication = .privateKeyJWT(key)
            return try OAuth2Client(
                issuer: issuer,
                clientID: "bank",
                redirectURI: redirectURI,
                configuration: configuration,
                transport: transport
            )
        }

        func session(_ key: some SigningKey) async throws -> OAuthSession {
            let walker = HeadlessBrowser(
                answers: ["username": "ada", "password": "a long password"],
                transcript: .silent,
                transport: transport
            )
            return try await client(key).signIn(scopes: [NotesAPI.scope], using: SystemBrowser(launcher: walker))
        }

        func stop() async {
            await listener.stop(draining: .seconds(2))
        }
    }

    private func assertion(of request: HTTPRequest) throws -> JSONObject {
        let form = try FormParameters(decoding: request.body)
        return try CompactJWS(parsing: #require(try form.value(for: "client_assertion"))).payloadObject()
    }

    @Test func `signs in with pushed requests and assertions for the issuer, calls, refreshes and signs out`()
        async throws
    {
        let key = try SoftwareSigningKey()
        let place = try await Place(clientKey: key.publicKey)
        let session = try await place.session(key)
        #expect(try await session.tokenManager.fetch().tokenType == .dpop)
        try await session.tokenManager.refresh()
        let url = try #require(URL(string: place.issuer + "/notes"))
        let (body, response) = try await session.data(for: URLRequest(url: url))
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        #expect(String(decoding: body, as: UTF8.self).contains("notes"))
        await session.signOut()
        var identifiers: Set<String> = []
        let sent = ["/par", "/token", "/revoke"].flatMap(place.requests)
        for request in sent {
            let claims = try assertion(of: request)
            #expect(claims["aud"] == .string(place.issuer))
            identifiers.insert(try #require(claims["jti"]?.stringValue))
        }
        #expect(Set(sent.map(\.path)).count == 3)
        #expect(identifiers.count == sent.count)
        let pages = place.requests(to: "/authorize").compactMap { $0.target.split(separator: "?").dropFirst().first }
        let opened = try FormParameters(decoding: String(try #require(pages.first)))
        #expect(opened.all.map(\.name) == ["client_id", "request_uri"])
        await place.stop()
    }

    @Test func `a key that the server does not know opens nothing`() async throws {
        let place = try await Place(clientKey: try SoftwareSigningKey().publicKey)
        let stranger = try SoftwareSigningKey()
        let error = await #expect(throws: OAuthClientError.self) { _ = try await place.session(stranger) }
        #expect(error?.code == .serverRejected)
        #expect(error?.answer?.error == .invalidClient)
        #expect(place.requests(to: "/token").isEmpty)
        await place.stop()
    }

    @Test func `an authority that nobody named is not trusted`() async throws {
        let key = try SoftwareSigningKey()
        let place = try await Place(clientKey: key.publicKey)
        var configuration = OAuth2ClientConfiguration.fapi2
        configuration.clientAuthentication = .privateKeyJWT(key)
        let client = try OAuth2Client(issuer: place.issuer, clientID: "bank", configuration: configuration)
        let error = await #expect(throws: OAuthClientError.self) { try await client.fetchAuthorizationServerMetadata() }
        #expect(error?.code == .transportFailed)
        #expect(place.requests(to: "/.well-known/oauth-authorization-server").isEmpty)
        await place.stop()
    }
}
