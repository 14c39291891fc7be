// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import OAuthSystem
import StrictJSON
import TestSupport
import Testing

@Suite("keybound login --attester shows what it knows of the key")
struct AttestedSignInTests {
    private static let attesterKey = ["--unencrypted-key-file", "--directory", "attester"]

    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        try directory.write("correct horse battery staple", to: "password")
        try directory.write(Data(SystemEntropy().bytes(32)), to: "credential")
        try directory.write(SoftwareToken.pin, to: "pin")
    }

    private func run(
        _ arguments: [String],
        _ environment: [String: String] = [:]
    ) async throws -> KeyboundProcess.Result {
        try await KeyboundProcess.run(arguments, in: directory, environment: environment)
    }

    private func expectSuccess(_ result: KeyboundProcess.Result) throws {
        try #require(result.status == 0, Comment(rawValue: result.errors))
    }

    /// A server that lets only attested first-party apps sign users in, an app, and a user.
    private func serve() async throws -> ServedIssuer {
        let keys = try await run(["attester", "jwks"] + Self.attesterKey)
        try directory.write(Data(keys.output.utf8), to: "attester.jwks")
        let server = try await ServedIssuer(
            in: directory,
            options: [
                "--key-credential-file", "credential", "--first-party", "--attester",
                #"fleet={"jwks":"attester.jwks","clients":["tool"]}"#,
            ]
        )
        try expectSuccess(try await run(["user", "add", "ada", "--password-file", "password"]))
        let app = ["--id", "tool", "--redirect-uri", "http://127.0.0.1/callback", "--scope", "notes:read"]
        let attested = ["--auth-method", "attest_jwt_client_auth_dpop", "--first-party"]
        try expectSuccess(try await run(["client", "add"] + app + attested))
        return server
    }

    private func attester(
        _ options: [String],
        _ environment: [String: String] = [:]
    ) async throws -> (process: KeyboundProcess, address: String) {
        let process = try KeyboundProcess(
            ["attester", "serve", "--client", "tool", "--listen", "127.0.0.1:0"] + Self.attesterKey + options,
            in: directory,
            environment: environment
        )
        return (process, String(try await process.errorLine(beginningWith: "listening").dropFirst("listening ".count)))
    }

    private func login(
        _ server: ServedIssuer,
        _ attester: String,
        _ options: [String],
        _ environment: [String: String] = [:]
    ) async throws -> KeyboundProcess.Result {
        let place = ["login", server.issuer, "--client-id", "tool", "--scope", "notes:read"]
        let user = ["--no-browser", "--username", "ada", "--password-file", "password"]
        return try await run(
            place + user + ["--allow-insecure-loopback", "--attester", attester] + options,
            environment
        )
    }

    /// What an attester said of keys, in order: how they are protected, or why it refused.
    private func decisions(of process: KeyboundProcess) async throws -> [String] {
        process.terminate()
        return try await process.result().output.split(separator: "\n").compactMap { line in
            let object = try JSONValue(parsing: Array(line.utf8)).objectValue
            return (object?["key_protection"] ?? object?["reason"])?.stringValue
        }
    }

    @Test func `a key in a token that the attester has open is attested, one in a file is not`() async throws {
        let token = try await SoftwareToken(in: directory.path, labels: ["shared"])
        let uri = "pkcs11:token=shared?module-path=\(SoftwareToken.module)&pin-source=file:\(directory.path)/pin"
        let server = try await serve()
        let service = try await attester(["--evidence-token", uri], token.environment)
        let signedIn = try await login(server, service.address, ["--key", uri], token.environment)
        try expectSuccess(signedIn)
        try expectSuccess(try await run(["token", "refresh"], token.environment))
        // The server accepts a revocation only with an attestation, too.
        try expectSuccess(try await run(["logout"], token.environment))

        let refused = try await login(server, service.address, ["--unencrypted-key-file"])
        #expect(refused.status != 0)
        let decided = try await decisions(of: service.process)
        // Each process of the command asks once; SoftHSM does not say that it is hardware.
        #expect(Set(decided.dropLast()) == ["software"])
        #expect(decided.last?.contains("--allow-unproven") == true)
        _ = await server.stop()
    }

    @Test func `a key in a TPM is unproven until its TPM is enrolled, and then in hardware`() async throws {
        let tpm = try await SoftwareTPM(directory: directory.path + "/tpm")
        let environment = ["KEYBOUND_TPM": tpm.tcti]
        let server = try await serve()
        let open = try await attester(["--allow-unproven"])
        try expectSuccess(try await login(server, open.address, ["--key", "tpm"], environment))
        #expect(Set(try await decisions(of: open.process)) == ["unproven"])

        // An operator enrols the TPM by the name of its attestation key.
        let challenge = String(repeating: "A", count: 43)
        let shown = try await run(["keys", "attest", "--challenge", challenge, "--json"], environment)
        try expectSuccess(shown)
        let members = try JSONValue(parsing: Array(shown.output.utf8)).objectValue
        let name = try #require(members?["attestation key name"]?.stringValue)
        try directory.write(Data("# the device of Ada\n\(name)\n".utf8), to: "fleet.txt")
        let strict = try await attester(["--attestation-key", "fleet.txt"])
        try expectSuccess(try await login(server, strict.address, [], environment))
        #expect(Set(try await decisions(of: strict.process)) == ["hardware"])
        _ = await server.stop()
    }
}
#endif
