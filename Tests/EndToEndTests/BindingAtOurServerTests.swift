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
import ServerStorage
import StrictJSON
import TestSupport
import Testing

@testable import KeyboundCommand

@Suite("Whether tokens are bound, at our own authorization server over a socket")
struct BindingAtOurServerTests {
    /// Who insists on bound tokens.
    enum Requirement: String, CaseIterable, Sendable {
        case nobody, theServer, theClientRegistration
    }

    private static let scope = "notes:read"
    private static let redirectURI = "http://127.0.0.1/callback"

    /// A server with one person and one client.
    private struct OurServer {
        let issuer: String
        let listener: HTTPListener
        let userAgent: SystemBrowser

        init(_ requirement: Requirement, forCodes codes: Requirement = .nobody) async throws {
            let handler = LateBoundHandler()
            listener = try HTTPListener(port: 0, handler: handler.respond)
            issuer = "http://127.0.0.1:\(listener.port)"
            let storage = MemoryAuthorizationStorage()
            let administration = ServerAdministration(storage: storage)
            _ = try await administration.addUser(username: "ada", password: "a long password")
            var client = RegisteredClient(
                clientID: "app",
                name: "App",
                redirectURIs: [redirectURI],
                scope: try Scope([scope]),
                dpopBoundAccessTokens: requirement == .theClientRegistration,
                createdAt: SystemWallClock().now()
            )
            client.dpopBoundAuthorizationCodes = codes == .theClientRegistration
            try await administration.addClient(client)
            var configuration = ServerConfiguration(
                issuer: try URI(parsing: issuer),
                audience: issuer + "/api",
                scopes: [ScopeDescription(name: scope)],
                allowsInsecureLoopbackIssuer: true
            )
            configuration.requireDPoP = requirement == .theServer
            configuration.requireBoundAuthorizationCodes = codes == .theServer
            let engine = try AuthorizationEngine(
                configuration: configuration,
                storage: storage,
                signingKey: SoftwareSigningKey(),
                replay: MemoryReplayStore(),
                nonceSecrets: [DPoPNonceSecret(entropy: SystemEntropy())],
                report: { _ in }
            )
            handler.set(engine.respond)
            let answers = ["username": "ada", "password": "a long password"]
            let transcript = Transcript(style: TerminalStyle(isColored: false)) { _ in }
            userAgent = SystemBrowser(launcher: HeadlessBrowser(answers: answers, transcript: transcript))
        }

        func client(_ binding: any TokenBoundConfiguration) throws -> OAuth2Client {
            var configuration = OAuth2ClientConfiguration.allowingInsecureHTTPOnLoopback
            configuration.tokenBoundConfiguration = binding
            return try OAuth2Client(
                issuer: issuer,
                clientID: "app",
                redirectURI: redirectURI,
                configuration: configuration
            )
        }
    }

    @Test(.timeLimit(.minutes(2)), arguments: Requirement.allCases)
    func `trap 54: bound where that is asked for, Bearer where both sides agree, else the error that says it`(
        _ requirement: Requirement
    ) async throws {
        let server = try await OurServer(requirement)
        let everything: TokenBindingFallback = [.unboundTokensWhenNoKeyCanBeMade, .bearerTokensInsteadOfBoundOnes]
        for configuration in [BoundedTokenConfiguration(), BoundedTokenConfiguration(fallback: everything)] {
            #expect(try await signIn(at: server, configuration) == .dpop)
        }
        do {
            let type = try await signIn(at: server, UnboundedTokenConfiguration())
            #expect(requirement == .nobody)
            #expect(type == .bearer)
        } catch let error as OAuthClientError {
            #expect(requirement != .nobody)
            #expect(error.code == .tokenBindingRequired)
        }
        // A key of a type that this server does not take is told from the metadata.
        await #expect {
            try await signIn(at: server, BoundedTokenConfiguration(keyPairType: .p521, fallback: everything))
        } throws: { ($0 as? OAuthClientError)?.code == .unsupportedByServer }
        await server.listener.stop(draining: .seconds(2))
    }

    /// The two settings of the server against the two of the client: tokens, or who says what about it.
    @Test(.timeLimit(.minutes(2)), arguments: Requirement.allCases, Requirement.allCases)
    func `trap 54: codes that must be bound from the beginning, against what the client is set to`(
        _ tokens: Requirement,
        _ codes: Requirement
    ) async throws {
        let server = try await OurServer(tokens, forCodes: codes)
        #expect(try await signIn(at: server, BoundedTokenConfiguration()) == .dpop)
        do {
            let type = try await signIn(at: server, UnboundedTokenConfiguration())
            #expect(tokens == .nobody && codes == .nobody)
            #expect(type == .bearer)
        } catch let error as OAuthClientError where codes != .nobody {
            // The request is refused, before anybody signs in.
            #expect(error.code == .serverRejected && error.answer?.error == .invalidRequest)
        } catch let error as OAuthClientError {
            #expect(error.code == .tokenBindingRequired && tokens != .nobody)
        }
        await server.listener.stop(draining: .seconds(2))
    }

    @Test func `a key of another type that the server takes binds tokens too, also after a refresh`() async throws {
        let server = try await OurServer(.theServer)
        #expect(try await signIn(at: server, BoundedTokenConfiguration(keyPairType: .ed25519)) == .dpop)
        await server.listener.stop(draining: .seconds(2))
    }

    @Test func `our server meets the profile for native clients`() async throws {
        let server = try await OurServer(.theServer)
        var configuration = OAuth2ClientConfiguration.native
        configuration.allowsInsecureHTTPOnLoopback = true
        let client = try OAuth2Client(
            issuer: server.issuer,
            clientID: "app",
            redirectURI: Self.redirectURI,
            configuration: configuration
        )
        let session = try await client.signIn(scopes: [Self.scope], using: server.userAgent)
        #expect(try await session.tokenManager.fetch().tokenType == .dpop)
        await server.listener.stop(draining: .seconds(2))
    }

    /// The type of the tokens of a sign-in, which must be that of their successors too.
    private func signIn(at server: OurServer, _ binding: any TokenBoundConfiguration) async throws -> TokenType {
        let client = try server.client(binding)
        let session = try await client.signIn(scopes: [Self.scope], using: server.userAgent)
        let tokens = try await session.tokenManager.refresh()
        let claims = try CompactJWS(parsing: tokens.accessToken.value).payloadObject()
        let confirmation = claims["cnf"]?.objectValue?["jkt"]?.stringValue
        #expect(confirmation == tokens.keyThumbprint?.description)
        return tokens.tokenType
    }
}
