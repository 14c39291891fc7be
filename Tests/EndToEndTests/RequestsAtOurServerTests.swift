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
import SQLiteStorage
import ServerStorage
import StrictJSON
import Testing

@testable import KeyboundCommand

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("What clients ask for at our own authorization server, over sockets, with our own client")
struct RequestsAtOurServerTests {
    /// Where the server keeps what it knows.
    enum Storage: String, CaseIterable, Sendable {
        case memory, sqlite
    }

    private static let redirectURI = "http://127.0.0.1/callback"
    private static let secret = "a secret of the vault: 100%"

    /// A server, an API that reads tokens, and one that asks about them.
    private struct Place {
        let issuer: String
        let notes: String
        let vault: String
        let listeners: [HTTPListener]
        let requestKey: SoftwareSigningKey

        init(_ storage: any AuthorizationStorage) async throws {
            requestKey = try SoftwareSigningKey()
            let slots = [LateBoundHandler(), LateBoundHandler(), LateBoundHandler()]
            listeners = try slots.map { try HTTPListener(port: 0, handler: $0.respond) }
            let addresses = listeners.map { "http://127.0.0.1:\($0.port)" }
            (issuer, notes, vault) = (addresses[0], addresses[1], addresses[2])
            try await register(in: storage)
            let engine = try AuthorizationEngine(
                configuration: configuration(),
                storage: storage,
                signingKey: SoftwareSigningKey(),
                replay: MemoryReplayStore(),
                nonceSecrets: [DPoPNonceSecret(entropy: SystemEntropy())],
                report: { _ in }
            )
            slots[0].set(engine.respond)
            let reading = GuardConfiguration(issuer: issuer, address: try URI(parsing: notes))
            let keys = JWKSetCache(uri: try URI(parsing: issuer + "/jwks"), transport: PlatformTransport())
            slots[1].set(Self.api(try RequestGuard(configuration: reading, keys: keys)))
            let asking = GuardConfiguration(issuer: issuer, address: try URI(parsing: vault))
            let reader = try IntrospectingAccessTokens(
                asking,
                endpoint: URI(parsing: issuer + "/introspect"),
                clientID: "vault-api",
                clientSecret: ClientSecret(secret),
                transport: PlatformTransport()
            )
            slots[2].set(Self.api(try RequestGuard(configuration: asking, accessTokens: reader)))
        }

        private func configuration() throws -> ServerConfiguration {
            var configuration = ServerConfiguration(
                issuer: try URI(parsing: issuer),
                audience: notes,
                scopes: [ScopeDescription(name: "notes:read"), ScopeDescription(name: "vault:open")],
                allowsInsecureLoopbackIssuer: true
            )
            configuration.resources = [
                ProtectedResource(address: vault, scopes: ["vault:open"], tokenFormat: .opaque)
            ]
            configuration.authorizationDetailTypes = [
                AuthorizationDetailType(type: "payment", fields: [AuthorizationDetailField(name: "amount")])
            ]
            return configuration
        }

        private func register(in storage: any AuthorizationStorage) async throws {
            let administration = ServerAdministration(storage: storage)
            _ = try await administration.addUser(username: "ada", password: "a long password")
            var app = RegisteredClient(
                clientID: "app",
                name: "App",
                redirectURIs: [redirectURI],
                scope: try Scope(parsing: "notes:read vault:open"),
                jwks: JWKSet([requestKey.publicKey]),
                createdAt: SystemWallClock().now()
            )
            app.requireSignedRequestObject = true
            app.authorizationDetailTypes = ["payment"]
            try await administration.addClient(app)
            try await administration.addClient(
                RegisteredClient(
                    clientID: "vault-api",
                    name: "Vault",
                    redirectURIs: [],
                    scope: .empty,
                    tokenEndpointAuthMethod: .clientSecretBasic,
                    secretHashes: [SecretHash(of: secret)],
                    grantTypes: [],
                    introspectionAudiences: [vault],
                    createdAt: SystemWallClock().now()
                )
            )
        }

        /// Answers with what the token allows.
        private static func api(_ requestGuard: RequestGuard) -> LateBoundHandler.Handler {
            { request in
                switch await requestGuard.check(request) {
                case .rejected(let rejection): return rejection.response
                case .accepted(let authorized):
                    let details = authorized.claims.object["authorization_details"]?.encoded() ?? []
                    let text = authorized.scope.description + " " + String(decoding: details, as: UTF8.self)
                    return HTTPResponse(status: 200, fields: authorized.responseFields, body: Array(text.utf8))
                }
            }
        }

        func client(signing: Bool = true) throws -> OAuth2Client {
            var configuration = OAuth2ClientConfiguration.allowingInsecureHTTPOnLoopback
            if signing { configuration.requestObjectSigning = .always(with: requestKey) }
            return try OAuth2Client(
                issuer: issuer,
                clientID: "app",
                redirectURI: redirectURI,
                configuration: configuration
            )
        }

        var browser: SystemBrowser {
            let transcript = Transcript(style: TerminalStyle(isColored: false)) { _ in }
            let answers = ["username": "ada", "password": "a long password"]
            return SystemBrowser(launcher: HeadlessBrowser(answers: answers, transcript: transcript))
        }
    }

    private func at(_ storage: Storage, _ body: (Place) async throws -> Void) async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("keybound-requests-\(UUID())")
        defer { try? FileManager.default.removeItem(at: directory) }
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let path = directory.appendingPathComponent("db").path
        let store = storage == .sqlite ? try await SQLiteAuthorizationStorage(path: path) : nil
        let place = try await Place(store ?? MemoryAuthorizationStorage())
        try await body(place)
        for listener in place.listeners { await listener.stop(draining: .seconds(2)) }
        await store?.close()
    }

    private func get(_ address: String, _ session: OAuthSession) async throws -> (status: Int?, text: String) {
        let url = try #require(URL(string: address + "/thing"))
        let (data, response) = try await session.data(for: URLRequest(url: url))
        return ((response as? HTTPURLResponse)?.statusCode, String(decoding: data, as: UTF8.self))
    }

    @Test(.timeLimit(.minutes(2)), arguments: Storage.allCases)
    func `one sign-in, by a signed request, is good for two APIs, each with tokens of its own`(
        _ storage: Storage
    ) async throws {
        try await at(storage) { place in
            var payment = AuthorizationDetail(type: "payment")
            payment.otherMembers = ["amount": 12]
            var options = AuthorizationOptions()
            options.resources = [place.notes, place.vault]
            options.authorizationDetails = [payment]
            let session = try await place.client().signIn(
                scopes: ["notes:read", "vault:open"],
                using: place.browser,
                options: options
            )
            let own = try await session.tokenManager.fetch()
            #expect(try CompactJWS(parsing: own.accessToken.value).payloadObject()["aud"] == .string(place.notes))
            let detail = #"[{"type":"payment","amount":12}]"#
            #expect(try await get(place.notes, session) == (200, "notes:read " + detail))
            let limited = session.limited(to: [place.vault])
            #expect(try await get(place.vault, limited) == (200, "vault:open " + detail))
            let opaque = try await session.tokenManager.fetch(resources: [place.vault])
            #expect(opaque.accessToken.value.hasPrefix("kba_") && opaque.tokenType == .dpop)
            // What the session itself uses has stayed as it was, also after a refresh.
            #expect(try await get(place.notes, session).status == 200)
            try await session.tokenManager.refresh()
            #expect(try await get(place.notes, session).status == 200)
            // What is for one API is refused by the other.
            #expect(try await get(place.notes, limited).status == 401)
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func `attack 111, at_revoked_seen_by_introspecting_rs: refused at once, where a JWT still works`() async throws {
        try await at(.memory) { place in
            var options = AuthorizationOptions()
            options.resources = [place.notes, place.vault]
            let client = try place.client()
            let session = try await client.signIn(scopes: [], using: place.browser, options: options)
            let limited = session.limited(to: [place.vault])
            #expect(try await get(place.vault, limited).status == 200)
            let token = try await session.tokenManager.fetch(resources: [place.vault]).accessToken
            // Somebody else revokes it, by the protocol.
            let form: FormParameters = ["client_id": "app", "token": token.value]
            let answer = try await PlatformTransport().send(
                HTTPRequest(
                    method: "POST",
                    target: place.issuer + "/revoke",
                    fields: ["Content-Type": "application/x-www-form-urlencoded"],
                    body: Array(form.encoded().utf8)
                ),
                maximumBodySize: 1024
            )
            #expect(answer.status == 200)
            await #expect {
                try await get(place.vault, limited)
            } throws: { ($0 as? OAuthClientError)?.code == .sessionEnded }
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func `a client that must sign its requests and does not is told so`() async throws {
        try await at(.memory) { place in
            await #expect {
                try await place.client(signing: false).signIn(scopes: [], using: place.browser)
            } throws: { ($0 as? OAuthClientError)?.answer?.error == .invalidRequest }
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func `a resource that was not granted is an invalid_target, and the session goes on`() async throws {
        try await at(.memory) { place in
            let session = try await place.client().signIn(scopes: ["notes:read"], using: place.browser)
            await #expect {
                try await session.tokenManager.fetch(resources: [place.vault])
            } throws: { ($0 as? OAuthClientError)?.answer?.error == .invalidTarget }
            #expect(try await get(place.notes, session).status == 200)
        }
    }
}
