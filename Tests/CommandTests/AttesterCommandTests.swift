// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPMessage
import JOSE
import OAuthClient
import OAuthCore
import OAuthSystem
import OAuthTransport
import StrictJSON
import TestSupport
import Testing

@Suite("keybound attester and keybound serve, as an operator sets them up")
struct AttesterCommandTests {
    private let directory: TemporaryDirectory
    private static let key = ["--unencrypted-key-file", "--directory", "attester"]

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func run(_ arguments: [String], input: String = "") async throws -> KeyboundProcess.Result {
        try await KeyboundProcess.run(arguments, input: input, in: directory)
    }

    private func add(_ arguments: String...) async throws -> KeyboundProcess.Result {
        let common = ["client", "add", "--database", "keybound.db", "--auth-method", "attest_jwt_client_auth_dpop"]
        return try await run(common + arguments)
    }

    @Test func `an app is attested, and authenticates with that; another attester's app does not`() async throws {
        let keys = try await run(["attester", "jwks"] + Self.key)
        #expect(keys.status == 0, Comment(rawValue: keys.errors))
        try directory.write(Data(keys.output.utf8), to: "attester.jwks")
        let added = try await add(
            "--id",
            "tv",
            "--grant-type",
            "device_code",
            "--grant-type",
            "refresh_token",
            "--scope",
            ServedIssuer.scope
        )
        #expect(added.status == 0, Comment(rawValue: added.errors))
        let service = try KeyboundProcess(
            ["attester", "serve", "--client", "tv", "--allow-unproven", "--listen", "127.0.0.1:0"] + Self.key,
            in: directory
        )
        let line = try await service.errorLine(beginningWith: "listening")
        let address = String(line.dropFirst("listening ".count))
        let trusted = #"apps={"jwks":"attester.jwks","clients":["tv","nobody"]}"#
        let server = try await ServedIssuer(
            in: directory,
            options: ["--unencrypted-key-file", "--database", "keybound.db", "--attester", trusted]
        )

        let attester = try HTTPClientAttester(
            address: address,
            transport: PlatformTransport(),
            allowsInsecureHTTPOnLoopback: true
        )
        let device = try await client(at: server, attester).startDeviceAuthorization(scopes: [ServedIssuer.scope])
        #expect(!device.userCode.isEmpty)

        // The key of an attester that the server does not know.
        let other = ["--unencrypted-key-file", "--directory", "other"]
        let stranger = try KeyboundProcess(
            ["attester", "serve", "--client", "tv", "--allow-unproven", "--listen", "127.0.0.1:0"] + other,
            in: directory
        )
        let strange = try await stranger.errorLine(beginningWith: "listening").dropFirst("listening ".count)
        let forger = try HTTPClientAttester(
            address: String(strange),
            transport: PlatformTransport(),
            allowsInsecureHTTPOnLoopback: true
        )
        let refused = await #expect(throws: OAuthClientError.self) {
            _ = try await client(at: server, forger).startDeviceAuthorization(scopes: [ServedIssuer.scope])
        }
        #expect(refused?.code == .attestationRefused)

        for process in [service, stranger] { process.terminate() }
        let result = await service.result()
        #expect(result.status == 0)
        #expect(result.output.contains(#""event":"attestation_issued""#))
        let log = await server.stop().errors
        #expect(log.contains("the attester apps may speak for nobody"))
        _ = await stranger.result()
    }

    private func client(at server: ServedIssuer, _ attester: HTTPClientAttester) throws -> OAuth2Client {
        var configuration = OAuth2ClientConfiguration()
        configuration.clientAuthentication = .attested(by: attester)
        configuration.allowsInsecureHTTPOnLoopback = true
        return try OAuth2Client(issuer: server.issuer, clientID: "tv", configuration: configuration)
    }

    @Test func `rights that only a backend has are rejected to an attested client`() async throws {
        let redirect = ["--redirect-uri", "com.example.app:/callback"]
        for options in [
            ["--grant-type", "client_credentials"], ["--grant-type", "token-exchange"],
            ["--introspection-audience", "https://api.example.com"], redirect + ["--allow-bearer-tokens"],
            redirect + ["--nonce-policy", "off"],
        ] {
            let common = ["client", "add", "--database", "keybound.db", "--auth-method", "attest_jwt_client_auth_dpop"]
            let result = try await run(common + options)
            #expect(result.status != 0 && result.output.isEmpty, "\(options)")
        }
        let result = try await run(
            ["client", "add", "--database", "keybound.db", "--auth-method", "attest_jwt_client_auth_dpop"] + redirect
        )
        #expect(result.status == 0, Comment(rawValue: result.errors))
    }

    @Test func `a key is attested for a factory`() async throws {
        let key = try TestKey.p256(2).publicKey
        let text = String(decoding: JSONValue.object(key.json).encoded(), as: UTF8.self)
        let options = ["attester", "issue", "--client", "tv", "--jwk", "-", "--lifetime", "1h"] + Self.key
        let result = try await run(options, input: text)
        #expect(result.status == 0, Comment(rawValue: result.errors))
        let claims = try CompactJWS(parsing: result.output.trimmingCharacters(in: .newlines)).payloadObject()
        #expect(claims["sub"] == "tv" && claims["key_protection"] == "unproven")
        #expect(claims["cnf"]?.objectValue?["jwk"] == .object(key.json))
        #expect(try await run(options, input: "{}").status == 2)
    }

    @Test func `a wrong option makes no key`() async throws {
        let key = try TestKey.p256(2).publicKey
        try directory.write(Data(JSONValue.object(key.json).encoded()), to: "device.jwk")
        let wrong = [
            ["issue", "--client", "tv", "--client", "phone", "--jwk", "device.jwk"],
            ["issue", "--client", "tv", "--jwk", "device.jwk", "--lifetime", "8d"],
            ["serve", "--client", "tv"], ["serve", "--client", "tv", "--allow-unproven", "--listen", "nowhere"],
        ]
        for options in wrong {
            let result = try await run(["attester"] + options + Self.key)
            #expect(result.status == 2, "\(options): \(result.errors)")
            #expect(!FileManager.default.fileExists(atPath: directory.path + "/attester"), "\(options)")
        }
    }

    @Test func `settings that cannot work say what to do`() async throws {
        try directory.write(Data(#"{"keys":[]}"#.utf8), to: "none.jwks")
        try directory.write(Data("x".utf8), to: "bad.jwks")
        let key = try TestKey.p256(20).publicKey.named("a", algorithm: .es256)
        try directory.write(Data(JSONValue.object(JWKSet([key]).json).encoded()), to: "good.jwks")
        let faults = [
            (#"apps={"clients":["a"]}"#, "no 'jwks'"), (#"apps={"jwks":"good.jwks"}"#, "no 'clients'"),
            (#"apps={"jwks":"bad.jwks","clients":["a"]}"#, "not a JWK set"),
            (#"apps={"jwks":"none.jwks","clients":["a"]}"#, "1 to 16 public keys"),
            (#"apps={"jwks":"good.jwks","clients":["a"],"maximumAge":"8d"}"#, "seven days"),
            (#"apps={"jwks":"good.jwks","clients":["a"],"maximumAge":"x"}"#, "not a duration"),
            (#"apps={"jwks":"good.jwks","clients":["a"],"keys":"x"}"#, "unknown member"),
        ]
        let serve = ServedIssuer.arguments(port: 9, listen: 9) + ["--unencrypted-key-file", "--check"]
        for (setting, said) in faults {
            let result = try await run(serve + ["--attester", setting])
            #expect(result.status == 2 && result.errors.contains(said), "\(setting): \(result.errors)")
        }
        let good = #"apps={"jwks":"good.jwks","clients":["a"],"maximumAge":"2d"}"#
        let warned = try await run(serve + ["--attester", good])
        #expect(warned.status == 0 && warned.output.contains("attestation-age"), Comment(rawValue: warned.errors))
        let off = try await run(serve + ["--attester", good, "--nonce-policy", "off"])
        #expect(off.status == 2 && (off.output + off.errors).contains("noncePolicy"))
    }

    @Test func `an attester that would accept nothing does not start`() async throws {
        let none = try await run(["attester", "serve", "--client", "tv"] + Self.key)
        #expect(none.status == 2 && none.errors.contains("--allow-unproven"))
        try directory.write(Data("00".utf8), to: "names")
        let names = try await run(["attester", "serve", "--client", "tv", "--attestation-key", "names"] + Self.key)
        #expect(names.status == 2 && names.errors.contains("names"))
        #expect(try await run(["attester", "serve", "--allow-unproven"] + Self.key).status == 2)
        for option in [["--trusted-proxy", "10.0.0.1/8"], ["--forwarded-field", "X-Real-IP"]] {
            let serve = ["attester", "serve", "--client", "tv", "--allow-unproven"]
            let refused = try await run(serve + option + Self.key)
            #expect(refused.status == 2 && refused.errors.contains(option[0]), Comment(rawValue: refused.errors))
        }
        let unproven = ["attester", "serve", "--client", "tv", "--allow-unproven", "--listen", "127.0.0.1:0"]
        let nowhere = try await run(unproven + ["--url", "nonsense"] + Self.key)
        #expect(nowhere.status == 2 && nowhere.errors.contains("--url"), Comment(rawValue: nowhere.errors))
        // No wrong option makes the key.
        #expect(!FileManager.default.fileExists(atPath: directory.path + "/attester"))
    }
}
