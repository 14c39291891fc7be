// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPMessage
import OAuthClient
import OAuthCore
import OAuthSystem
import PostgreSQLServer
import StrictJSON
import TestSupport
import Testing

@testable import KeyboundCommand

@Suite("Two nodes of keybound serve on one PostgreSQL database", .disabled(if: PostgreSQLDatabases.areLeftOut))
struct ClusterTests {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        try directory.write(Data("correct horse battery staple".utf8), to: "password")
        try directory.write(Data(SystemEntropy().bytes(32)), to: "credential")
    }

    @Test
    func `a session moves between nodes, a proof works at one of them, and a crash of the database is waited for`()
        async throws
    {
        let database = try await PostgreSQLServer()
        try await database.start()
        try await PostgreSQLQuery.run("CREATE DATABASE keybound", at: database.address(of: "postgres"))
        let address = database.address(of: "keybound")
        try await register(address)
        // The rights of docs/cluster.md: the servers need no others.
        try await PostgreSQLQuery.run(Self.rights, at: address)
        let server = address.replacing("postgres@", with: "keybound_server@")
        let (first, second) = (FreePort.next(), FreePort.next())
        let nodes = [try await serve(server, first, at: first), try await serve(server, first, at: second)]
        let network = NodeSwitch(issuer: "http://127.0.0.1:\(first)", port: first)
        let client = try client(at: first, network)

        var tokens = try await signIn(client)
        network.use(second)
        tokens = try await client.refreshAccessToken(tokens)
        let used = try #require(network.lastTokenRequest)
        try await expectReplay(of: used, network, at: [first, second])
        network.use(first)
        tokens = try await client.refreshAccessToken(tokens)

        try await database.kill()
        for port in [first, second] {
            network.use(port)
            let response = try await network.send(used, maximumBodySize: 65536)
            #expect(response.status == 503 && response.fields["Retry-After"] != nil)
            #expect(try await status(of: "/ready", port, network) == 503)
            // What needs no database goes on: APIs still verify tokens.
            for path in ["/health", "/jwks", "/.well-known/oauth-authorization-server"] {
                #expect(try await status(of: path, port, network) == 200, "\(path)")
            }
        }
        try await database.start()
        for port in [first, second] { try await waitUntilReady(port, network) }
        // The proofs of before are gone, and with them the memory that their nonces were made for.
        try await expectReplay(of: used, network, at: [first, second])
        for port in [second, first] {
            network.use(port)
            tokens = try await client.refreshAccessToken(tokens)
        }
        for node in nodes where !node.errorsSoFar.contains("storage") {
            Issue.record("the log of a node does not tell of the storage: \(node.errorsSoFar)")
        }
        for node in nodes {
            node.terminate()
            #expect(await node.result().status == 0)
        }
        await database.remove()
    }

    @Test func `of 48 copies of one refresh at three nodes one is accepted`() async throws {
        try await PostgreSQLDatabases.shared.withDatabase { address async throws in
            try await register(address)
            let ports = [FreePort.next(), FreePort.next(), FreePort.next()]
            var nodes: [KeyboundProcess] = []
            for port in ports { nodes.append(try await serve(address, ports[0], at: port)) }
            let network = NodeSwitch(issuer: "http://127.0.0.1:\(ports[0])", port: ports[0])
            let client = try client(at: ports[0], network)
            let tokens = try await signIn(client)
            for round in 0..<5 {
                network.hold(true)
                _ = try? await client.refreshAccessToken(tokens)
                network.hold(false)
                let request = try #require(network.lastTokenRequest)
                let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                    for index in 0..<48 {
                        group.addTask { try await network.send(request, to: ports[index % 3]).status }
                    }
                    return try await group.reduce(into: [Int]()) { $0.append($1) }
                }
                // The token of the first round may be used twice more, with new proofs, within its grace.
                #expect(statuses.count { $0 == 200 } == (round < 3 ? 1 : 0), "round \(round)")
                #expect(statuses.count { $0 == 400 } == (round < 3 ? 47 : 48), "round \(round)")
            }
            for node in nodes {
                #expect(node.errorsSoFar.contains("PostgreSQL may lose what it has confirmed, since fsync is not on"))
                node.terminate()
                #expect(await node.result().status == 0)
            }
        }
    }

    @Test func `a server says what to run when the database is not prepared, and commands work over the address`()
        async throws
    {
        try await PostgreSQLDatabases.shared.withDatabase { address async throws in
            try await PostgreSQLQuery.run("DROP SCHEMA IF EXISTS keybound CASCADE", at: address)
            let early = try await run(["user", "list", "--database", address])
            #expect(early.status != 0 && early.errors.contains("keybound db migrate"), "\(early.errors)")
            try await register(address)
            let again = try await run(["db", "migrate", "--database", address])
            #expect(again.status == 0 && again.errors.contains("already"))
            #expect(try await run(["user", "list", "--database", address]).output.contains("ada"))
            #expect(try await run(["client", "list", "--database", address]).output.contains("tv"))
            #expect(try await run(["gc", "--database", address]).status == 0)
            #expect(try await run(["db", "status", "--database", address]).status == 0)
            // The database of the tests does not flush.
            let settings = #"{"issuer": "https://auth.example", "database": "\#(address)"}"#
            try directory.write(settings, to: "lossy.json")
            let doctor = try await run(["doctor", "--config", "lossy.json"])
            #expect(doctor.output.contains("since fsync is not on"), "\(doctor.output)\(doctor.errors)")
            let backup = try await run(["db", "backup", "copy", "--database", address])
            #expect(backup.status != 0 && backup.errors.contains("pg_dump"))
            try await PostgreSQLQuery.run("UPDATE keybound.schema_version SET oldest_program = 99", at: address)
            let late = try await run(["user", "list", "--database", address])
            #expect(late.status != 0 && late.errors.contains("start the newer program"))
            try await PostgreSQLQuery.run("UPDATE keybound.schema_version SET oldest_program = 1", at: address)
        }
    }

    @Test func `a right that the role of the servers lacks is named by status, doctor and start`() async throws {
        let database = try await PostgreSQLServer()
        try await database.start()
        let address = database.address(of: "postgres")
        try await register(address)
        let server = address.replacing("postgres@", with: "keybound_server@")
        // Before step 2 of docs/cluster.md.
        try await PostgreSQLQuery.run("CREATE ROLE keybound_server LOGIN", at: address)
        let early = try await run(["db", "status", "--database", server])
        #expect(early.status == 3 && early.errors.contains("USAGE ON SCHEMA keybound"), "\(early.errors)")
        try await PostgreSQLQuery.run("DROP ROLE keybound_server; " + Self.rights, at: address)
        #expect(try await run(["db", "status", "--database", server]).status == 0)

        try await PostgreSQLQuery.run("REVOKE INSERT ON keybound.grants FROM keybound_server", at: address)
        let settings = #"{"issuer": "https://auth.example", "database": "\#(server)"}"#
        try directory.write(settings, to: "rights.json")
        let port = FreePort.next()
        let start =
            ServedIssuer.arguments(port: port, listen: port)
            + ["--key-credential-file", "credential", "--database", server]
        for command in [["db", "status", "--database", server], ["doctor", "--config", "rights.json"], start] {
            let result = try await run(command)
            let text = result.output + result.errors
            #expect(result.status != 0 && text.contains("INSERT ON keybound.grants"), "\(command): \(text)")
        }
        await database.remove()
    }

    @Test func `a SQLite file is copied whole, and its keys and sessions go on`() async throws {
        try await PostgreSQLDatabases.shared.withDatabase { address async throws in
            let port = FreePort.next()
            let old = try await serve("keybound.db", port, at: port, preparing: true)
            let network = NodeSwitch(issuer: "http://127.0.0.1:\(port)", port: port)
            let client = try client(at: port, network)
            let tokens = try await signIn(client)
            old.terminate()
            _ = await old.result()

            let copied = try await run(["db", "copy", "keybound.db", "--database", address])
            try #require(copied.status == 0, "\(copied.errors)")
            #expect(copied.output.contains("users: 1\n") && copied.output.contains("clients: 1\n"))
            let again = try await run(["db", "copy", "keybound.db", "--database", address])
            #expect(again.status != 0 && again.errors.contains("has rows"))

            let node = try await serve(address, port, at: port)
            #expect(try await client.refreshAccessToken(tokens).refreshToken != nil)
            node.terminate()
            _ = await node.result()
        }
    }

    private static let rights = """
        CREATE ROLE keybound_server LOGIN;
        GRANT USAGE ON SCHEMA keybound TO keybound_server;
        GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA keybound TO keybound_server;
        REVOKE INSERT, UPDATE, DELETE ON keybound.schema_version FROM keybound_server
        """

    func register(_ address: String) async throws {
        for arguments in [
            ["db", "migrate"], ["user", "add", "ada", "--password-file", "password"],
            [
                "client", "add", "--id", "tv", "--grant-type", "device_code", "--grant-type", "refresh_token",
                "--scope",
                ServedIssuer.scope,
            ],
        ] {
            let result = try await run(arguments + ["--database", address])
            try #require(result.status == 0, "\(result.errors)")
        }
    }

    func serve(
        _ address: String,
        _ issuer: UInt16,
        at port: UInt16,
        preparing: Bool = false
    ) async throws -> KeyboundProcess {
        if preparing { try await register(address) }
        let process = try KeyboundProcess(
            ServedIssuer.arguments(port: issuer, listen: port)
                + ["--key-credential-file", "credential", "--database", address],
            in: directory
        )
        _ = try await process.line(beginningWith: "protected")
        return process
    }

    func client(at port: UInt16, _ network: NodeSwitch) throws -> OAuth2Client {
        try OAuth2Client(
            issuer: "http://127.0.0.1:\(port)",
            clientID: "tv",
            redirectURI: "http://127.0.0.1/callback",
            configuration: .allowingInsecureHTTPOnLoopback,
            transport: network
        )
    }

    func signIn(_ client: OAuth2Client) async throws -> TokenSet {
        let waiting = try await client.startDeviceAuthorization(scopes: [ServedIssuer.scope])
        let browser = HeadlessBrowser(
            answers: ["username": "ada", "password": "correct horse battery staple"],
            decision: "allow",
            transcript: Transcript(style: TerminalStyle(isColored: false)) { _ in }
        )
        try await browser.open(try #require(waiting.verificationURIComplete))
        return try await client.completeDeviceAuthorization(waiting, sleepingOn: SleepingClock())
    }

    private func expectReplay(of request: HTTPRequest, _ network: NodeSwitch, at ports: [UInt16]) async throws {
        for port in ports {
            network.use(port)
            var response = try await network.send(request, maximumBodySize: 65536)
            // A node that has just found the database again may be slow on a busy machine; it says so with 503.
            for _ in 0..<20 where response.status == 503 {
                try await Task.sleep(for: .milliseconds(500))
                response = try await network.send(request, maximumBodySize: 65536)
            }
            let error = try? JSONValue(parsing: response.body).objectValue?["error"]?.stringValue
            #expect(response.status == 400 && ["invalid_dpop_proof", "use_dpop_nonce"].contains(error))
        }
    }

    private func waitUntilReady(_ port: UInt16, _ network: NodeSwitch) async throws {
        for _ in 0..<1200 {
            if try await status(of: "/ready", port, network) == 200 { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        Issue.record("the node did not find the database again in a minute")
    }

    private func status(of path: String, _ port: UInt16, _ network: NodeSwitch) async throws -> Int {
        let request = HTTPRequest(target: "http://127.0.0.1:\(port)\(path)")
        return try await network.send(request, maximumBodySize: 1 << 20).status
    }

    func run(_ arguments: [String]) async throws -> KeyboundProcess.Result {
        try await KeyboundProcess.run(arguments, in: directory)
    }
}
