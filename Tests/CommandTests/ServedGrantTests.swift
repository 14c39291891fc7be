// SPDX-License-Identifier: Apache-2.0

import Foundation
import JOSE
import OAuthClient
import OAuthCore
import OAuthSystem
import StrictJSON
import TestSupport
import Testing

@testable import KeyboundCommand

@Suite("Devices and token exchange at keybound serve: our library and our command, SQLite, sockets")
struct ServedGrantTests {
    private static let api = "https://notes.example.com"
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        try directory.write(Data("correct horse battery staple".utf8), to: "password")
    }

    @Test func `a person allows a device in a browser, and it gets a session`() async throws {
        let server = try await serve()
        try await registerDevice()
        let client = try client("tv", at: server)
        let waiting = try await client.startDeviceAuthorization(scopes: [ServedIssuer.scope])
        #expect(waiting.verificationURI == server.issuer + "/device" && waiting.interval == .seconds(5))
        let walker = walker("allow")
        try await walker.open(try #require(waiting.verificationURIComplete))
        let tokens = try await client.completeDeviceAuthorization(waiting, sleepingOn: SleepingClock())
        #expect(tokens.tokenType == .dpop && tokens.keyThumbprint != nil)
        let session = try await client.startSession(with: tokens)
        _ = try await session.tokenManager.fetch()
        _ = await server.stop()
    }

    @Test func `a person says no, and the device is told`() async throws {
        let server = try await serve()
        try await registerDevice()
        let client = try client("tv", at: server)
        let waiting = try await client.startDeviceAuthorization(scopes: [ServedIssuer.scope])
        try await walker("deny").open(try #require(waiting.verificationURIComplete))
        let refusal = await #expect(throws: OAuthClientError.self) {
            try await client.completeDeviceAuthorization(waiting, sleepingOn: SleepingClock())
        }
        #expect(refusal?.code == .authorizationRejected)
        _ = await server.stop()
    }

    @Test func `keybound login --device shows URL and code, and signs in`() async throws {
        let server = try await serve()
        try await registerDevice()
        let login = try KeyboundProcess(
            [
                "login", server.issuer, "--client-id", "tv", "--scope", ServedIssuer.scope, "--device",
                "--allow-insecure-loopback", "--unencrypted-key-file",
            ],
            in: directory
        )
        let line = try await login.errorLine(beginningWith: "or open ")
        let link = try #require(line.split(separator: " ").first { $0.hasPrefix("http") })
        try await walker("allow").open(String(link))
        let result = await login.result()
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.contains("signed in at \(server.issuer)"))
        _ = await server.stop()
    }

    @Test func `a service exchanges its token for a narrower one, which ends with it`() async throws {
        let server = try await serve()
        let output = try await run(
            "client",
            "add",
            "--id",
            "backend",
            "--auth-method",
            "client_secret_basic",
            "--grant-type",
            "client_credentials",
            "--grant-type",
            "token-exchange",
            "--scope",
            ServedIssuer.scope,
            "--json",
            "--quiet"
        )
        let object = try JSONValue(parsing: Array(output.utf8)).objectValue
        let secret = ClientSecret(try #require(object?["client_secret"]?.stringValue))
        let service = try client("backend", at: server, .clientSecretBasic(secret))
        let tokens = try await service.requestClientCredentialsTokens()
        let exchanged = try await service.exchangeToken(SecurityToken(tokens.accessToken.value, type: .accessToken))
        let narrow = try #require(exchanged.tokens)
        #expect(narrow.tokenType == .dpop && narrow.refreshToken == nil)
        #expect(try await service.introspect(narrow.accessToken).isActive)
        try await service.revoke(tokens.accessToken)
        #expect(try await !service.introspect(narrow.accessToken).isActive)
        _ = await server.stop()
    }

    private func serve() async throws -> ServedIssuer {
        try directory.write(Data(SystemEntropy().bytes(32)), to: "credential")
        return try await ServedIssuer(
            in: directory,
            options: ["--key-credential-file", "credential", "--audience", Self.api]
        )
    }

    private func registerDevice() async throws {
        _ = try await run("user", "add", "ada", "--password-file", "password")
        _ = try await run(
            "client",
            "add",
            "--id",
            "tv",
            "--grant-type",
            "device_code",
            "--grant-type",
            "refresh_token",
            "--scope",
            ServedIssuer.scope
        )
    }

    private func walker(_ decision: String) -> HeadlessBrowser {
        HeadlessBrowser(
            answers: ["username": "ada", "password": "correct horse battery staple"],
            decision: decision,
            transcript: Transcript(style: TerminalStyle(isColored: false)) { _ in }
        )
    }

    private func client(
        _ clientID: String,
        at server: ServedIssuer,
        _ authentication: ClientAuthentication = .none
    ) throws -> OAuth2Client {
        var configuration = OAuth2ClientConfiguration.allowingInsecureHTTPOnLoopback
        configuration.clientAuthentication = authentication
        return try OAuth2Client(
            issuer: server.issuer,
            clientID: clientID,
            redirectURI: "http://127.0.0.1/callback",
            configuration: configuration
        )
    }

    private func run(_ arguments: String...) async throws -> String {
        let result = try await KeyboundProcess.run(arguments, in: directory)
        try #require(result.status == 0, "\(result.errors)")
        return result.output
    }
}
