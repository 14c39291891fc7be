// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import Foundation
import PostgreSQLServer
import PostgreSQLStorage
import ServerStorage
import StorageSuite
import TestSupport
import Testing

@Suite("PostgreSQL: TLS and several hosts", .disabled(if: PostgreSQLDatabases.areLeftOut), .timeLimit(.minutes(5)))
struct PostgreSQLTLSTests {
    /// 0.0.0.0 reaches this machine, but it is not a loopback address, so the driver demands verified TLS.
    private static let network = "hostaddr=0.0.0.0"

    private let authority: CertificateAuthority
    private let passwords: String

    init() async throws {
        authority = try await CertificateAuthority()
        passwords = authority.certificate.replacing("ca.pem", with: "passwords")
        try Data("*:*:*:keybound_server:not a secret\n".utf8).write(to: URL(filePath: passwords))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: passwords)
    }

    private func server(_ name: String, _ settings: String...) async throws -> PostgreSQLServer {
        let server = try await PostgreSQLServer(named: name, by: authority)
        for setting in settings { try await server.run("echo \"\(setting)\" >> data/postgresql.conf") }
        try await server.start()
        let owner = server.address(of: "postgres")
        try await PostgreSQLQuery.run("CREATE DATABASE keybound", at: owner)
        try await PostgreSQLQuery.run("CREATE ROLE keybound_server LOGIN PASSWORD 'not a secret'", at: owner)
        _ = try await PostgreSQLAuthorizationStorage.migrate(PostgreSQLAddress(server.address(of: "keybound")))
        try await PostgreSQLQuery.run(
            """
            GRANT USAGE ON SCHEMA keybound TO keybound_server;
            GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA keybound TO keybound_server
            """,
            at: server.address(of: "keybound")
        )
        return server
    }

    private func address(
        _ hosts: String,
        _ ports: UInt16?...,
        options: String = network,
        root: String? = nil
    ) -> String {
        let places = zip(hosts.split(separator: ","), ports).map { "\($0):\($1 ?? 0)" }.joined(separator: ",")
        return "postgresql://keybound_server@\(places)/keybound?passfile=\(passwords)&\(options)"
            + "&sslrootcert=\(root ?? authority.certificate)"
    }

    private func expect(
        _ address: String,
        isRejectedWith text: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        let error = await #expect(throws: StorageError.self, sourceLocation: sourceLocation) {
            try await PostgreSQLAuthorizationStorage(PostgreSQLAddress(address))
        }
        #expect(error?.reason.contains(text) == true, "\(error?.reason ?? "")", sourceLocation: sourceLocation)
        #expect(error?.reason.contains("not a secret") == false, sourceLocation: sourceLocation)
    }

    @Test func `a certificate of the authority for the name of the host, over TLS 1.3, with a password`() async throws {
        let server = try await server("db1.example")
        let store = try await PostgreSQLAuthorizationStorage(PostgreSQLAddress(address("db1.example", server.port)))
        try await store.signInForToken("a")
        #expect(try await store.rotate("a 0", to: "a 1", grant: "a") == .rotated)
        let versions = try await PostgreSQLQuery.run(
            "SELECT DISTINCT version FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE usename = 'keybound_server'",
            at: server.address(of: "postgres")
        )
        #expect(versions == ["TLSv1.3"])
        await store.close()
        await server.remove()
    }

    @Test func `whoever answers with another certificate, or without TLS, gets no password`() async throws {
        let server = try await server("db1.example")
        let stranger = try await CertificateAuthority()
        await expect(
            address("db1.example", server.port, root: stranger.certificate),
            isRejectedWith: "certificate verify"
        )
        await expect(address("db2.example", server.port), isRejectedWith: "db2.example")
        await expect(
            address("db1.example", server.port, root: stranger.certificate + ".missing"),
            isRejectedWith: "does not exist"
        )
        await server.remove()

        let old = try await self.server("db1.example", "ssl_max_protocol_version = 'TLSv1.2'")
        await expect(address("db1.example", old.port), isRejectedWith: "SSL error")
        await old.remove()

        let plain = try await self.server("db1.example")
        try await plain.kill()
        try await plain.start("ssl=off")
        await expect(address("db1.example", plain.port), isRejectedWith: "does not support SSL")
        await plain.remove()
    }

    @Test func `of several hosts the one that takes writes is used, also after a failover`() async throws {
        let first = try await server("db1.example")
        let second = try await server("db2.example")
        try await first.setReadOnly(true)
        let text = address("db1.example,db2.example", first.port, second.port, options: "hostaddr=0.0.0.0,0.0.0.0")
        let store = try await PostgreSQLAuthorizationStorage(PostgreSQLAddress(text))
        #expect(try await store.add(Sample.client("stored in the second")))
        #expect(try await Self.clients(in: second) == ["stored in the second"])
        #expect(try await Self.clients(in: first) == [])

        // The primary is gone, and the other one is promoted.
        try await second.kill()
        let error = await #expect(throws: StorageError.self) { try await store.add(Sample.client("too early")) }
        #expect(error?.code == .unavailable)
        try await first.setReadOnly(false)
        var isStored = false
        for _ in 0..<400 where !isStored {
            isStored = (try? await store.add(Sample.client("stored in the first"))) ?? false
            if !isStored { try await Task.sleep(for: .milliseconds(50)) }
        }
        #expect(isStored)
        #expect(try await Self.clients(in: first) == ["stored in the first"])
        await store.close()
        await first.remove()
        await second.remove()
    }

    @Test func `a primary that is demoted while it is used gives 503, and the other host takes over`() async throws {
        let first = try await server("db1.example")
        let second = try await server("db2.example")
        let text = address("db1.example,db2.example", first.port, second.port, options: "hostaddr=0.0.0.0,0.0.0.0")
        let store = try await PostgreSQLAuthorizationStorage(PostgreSQLAddress(text))
        #expect(try await store.add(Sample.client("stored in the first")))
        try await first.setReadOnly(true)
        var isStored = false
        for _ in 0..<400 where !isStored {
            do {
                isStored = try await store.add(Sample.client("stored in the second"))
            } catch let error as StorageError {
                #expect(error.code == .unavailable, "\(error)")
                try await Task.sleep(for: .milliseconds(50))
            }
        }
        #expect(try await Self.clients(in: second) == ["stored in the second"])
        await store.close()
        await first.remove()
        await second.remove()
    }

    private static func clients(in server: PostgreSQLServer) async throws -> [String] {
        try await PostgreSQLQuery.run("SELECT client_id FROM keybound.clients", at: server.address(of: "keybound"))
    }
}

extension PostgreSQLServer {
    /// Takes writes or not from now on, as a standby and a primary do.
    fileprivate func setReadOnly(_ isReadOnly: Bool) async throws {
        let text = isReadOnly ? "on" : "off"
        try await PostgreSQLQuery.run(
            "ALTER SYSTEM SET default_transaction_read_only = \(text)",
            at: address(of: "postgres") + "&options=-cdefault_transaction_read_only%3Doff"
        )
        try await PostgreSQLQuery.run("SELECT pg_reload_conf()", at: address(of: "postgres"))
        // That only asks the server to read its settings. Once a new connection has them, it has told the open ones too.
        for _ in 0..<1000 {
            let found = try await PostgreSQLQuery.run("SHOW default_transaction_read_only", at: address(of: "postgres"))
            if found == [text] { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        Issue.record("the server does not read its settings")
    }
}
