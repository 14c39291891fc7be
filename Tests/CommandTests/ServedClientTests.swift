// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPMessage
import JOSE
import OAuthClient
import OAuthCore
import OAuthSystem
import StrictJSON
import TestSupport
import Testing

@Suite("Confidential clients of our library at keybound serve, on SQLite and over sockets")
struct ServedClientTests {
    private let directory: TemporaryDirectory
    private static let api = "https://notes.example.com"

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test func `a service with a secret gets a token, the API asks about it, and the service revokes it`() async throws
    {
        let server = try await serve()
        let secret = try await register("billing", .clientSecretBasic, "--grant-type", "client_credentials")
        let apiSecret = try await register("notes-api", .clientSecretBasic, "--introspection-audience", Self.api)
        let service = try client("billing", at: server, .clientSecretBasic(secret))
        let api = try client("notes-api", at: server, .clientSecretBasic(apiSecret))

        let tokens = try await service.requestClientCredentialsTokens(scopes: [ServedIssuer.scope])
        #expect(tokens.tokenType == .dpop && tokens.refreshToken == nil)
        let seen = try await api.introspect(tokens.accessToken)
        #expect(seen.isActive && seen.clientID == "billing" && seen.claims.subject == "billing")
        #expect(seen.tokenType == .dpop && seen.keyThumbprint == tokens.keyThumbprint)
        #expect(seen.scope?.description == ServedIssuer.scope && seen.claims.audience == [Self.api])

        // A new secret does not end the one before; a wrong one is refused.
        let second = try await command("client", "secret", "new", "billing", "--json", "--quiet")
        let fresh = try client("billing", at: server, .clientSecretBasic(secretIn(second)))
        #expect(try await fresh.introspect(tokens.accessToken).isActive)
        #expect(try await service.introspect(tokens.accessToken).isActive)
        let stranger = try client("billing", at: server, .clientSecretBasic(ClientSecret("wrong")))
        let refused = await #expect(throws: OAuthClientError.self) {
            try await stranger.introspect(tokens.accessToken)
        }
        #expect(refused?.answer?.error == .invalidClient)

        try await service.revoke(tokens.accessToken)
        #expect(try await !api.introspect(tokens.accessToken).isActive)
        _ = await server.stop()
    }

    @Test func `a service with a key signs each request anew, and is gone when it is removed`() async throws {
        let server = try await serve()
        let key = try SoftwareSigningKey()
        try directory.write(Data(JSONValue.object(JWKSet([key.publicKey]).json).encoded()), to: "keys.json")
        _ = try await command(
            "client",
            "add",
            "--id",
            "signer",
            "--auth-method",
            "private_key_jwt",
            "--jwks",
            "keys.json",
            "--grant-type",
            "client_credentials",
            "--scope",
            ServedIssuer.scope
        )
        let service = try client("signer", at: server, .privateKeyJWT(key))
        let tokens = try await service.requestClientCredentialsTokens()
        for _ in 0..<3 { #expect(try await service.introspect(tokens.accessToken).isActive) }
        let stranger = try client("signer", at: server, .privateKeyJWT(SoftwareSigningKey()))
        let refused = await #expect(throws: OAuthClientError.self) {
            try await stranger.requestClientCredentialsTokens()
        }
        #expect(refused?.answer?.error == .invalidClient)

        _ = try await command("client", "remove", "signer", "--yes")
        let gone = await #expect(throws: OAuthClientError.self) { try await service.requestClientCredentialsTokens() }
        #expect(gone?.answer?.error == .invalidClient)
        let result = await server.stop()
        #expect(result.status == 0)
    }

    @Test func `a service gets new keys with client set, and keeps its tokens`() async throws {
        let server = try await serve()
        let (old, new) = (try SoftwareSigningKey(), try SoftwareSigningKey())
        func write(_ keys: [SoftwareSigningKey]) throws {
            let set = JWKSet(keys.map(\.publicKey))
            try directory.write(Data(JSONValue.object(set.json).encoded()), to: "keys.json")
        }
        try write([old])
        _ = try await run(
            ["client", "add", "--id", "signer", "--auth-method", "private_key_jwt", "--jwks", "keys.json"]
                + ["--grant-type", "client_credentials", "--scope", ServedIssuer.scope]
        )
        let before = try client("signer", at: server, .privateKeyJWT(old))
        let after = try client("signer", at: server, .privateKeyJWT(new))
        let tokens = try await before.requestClientCredentialsTokens()

        try write([old, new])
        let changed = try await command("client", "set", "signer", "--jwks", "keys.json")
        #expect(changed.hasPrefix("jwks: "), "\(changed)")
        #expect(try await before.introspect(tokens.accessToken).isActive)
        #expect(try await after.introspect(tokens.accessToken).isActive)

        try write([new])
        _ = try await command("client", "set", "signer", "--jwks", "keys.json")
        #expect(try await after.introspect(tokens.accessToken).isActive)
        let refused = await #expect(throws: OAuthClientError.self) {
            try await before.requestClientCredentialsTokens()
        }
        #expect(refused?.answer?.error == .invalidClient)

        try directory.write(#"{ "keys": [] }"#, to: "keys.json")
        let none = try await KeyboundProcess.run(
            ["client", "set", "signer", "--jwks", "keys.json"],
            in: directory
        )
        #expect(none.status == 2, "\(none.errors)")
        _ = await server.stop()
    }

    @Test func `an app that asks for passwords itself is registered with a warning, listed, and made ordinary again`()
        async throws
    {
        let server = try await serve()
        let added = try await KeyboundProcess.run(
            [
                "client", "add", "--id", "own", "--first-party", "--redirect-uri", "com.example.own:/callback",
                "--scope", ServedIssuer.scope,
            ],
            in: directory
        )
        #expect(added.status == 0, "\(added.errors)")
        #expect(added.errors.contains("never asked for consent"))
        let listed = try JSONValue(parsing: Array(try await command("client", "list", "--json").utf8)).arrayValue ?? []
        let client = listed.compactMap(\.objectValue).first { $0["client_id"] == "own" }
        #expect(client?["first_party"] == true && client?["dpop_bound_authorization_codes"] == true)
        #expect(try await command("client", "list").contains("first-party app"))
        let changed = try await command("client", "set", "own", "--no-first-party", "--json")
        let ordinary = try #require(try JSONValue(parsing: Array(changed.utf8)).objectValue)
        #expect(ordinary["first_party"] == nil)
        _ = await server.stop()
    }

    private func serve() async throws -> ServedIssuer {
        try directory.write(Data(SystemEntropy().bytes(32)), to: "credential")
        return try await ServedIssuer(
            in: directory,
            options: ["--key-credential-file", "credential", "--audience", Self.api]
        )
    }

    private func client(
        _ clientID: String,
        at server: ServedIssuer,
        _ authentication: ClientAuthentication
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

    /// Registers a client, and gives back the secret that the command shows.
    private func register(
        _ clientID: String,
        _ method: ClientAuthenticationMethod,
        _ options: String...
    ) async throws -> ClientSecret {
        let fixed = [
            "client", "add", "--id", clientID, "--auth-method", method.rawValue, "--scope", ServedIssuer.scope,
            "--json",
            "--quiet",
        ]
        return try secretIn(try await run(fixed + options))
    }

    private func secretIn(_ output: String) throws -> ClientSecret {
        let object = try JSONValue(parsing: Array(output.utf8)).objectValue
        return ClientSecret(try #require(object?["client_secret"]?.stringValue))
    }

    private func command(_ arguments: String...) async throws -> String {
        try await run(arguments)
    }

    private func run(_ arguments: [String]) async throws -> String {
        let result = try await KeyboundProcess.run(arguments, in: directory)
        try #require(result.status == 0, "\(result.errors)")
        return result.output
    }
}
