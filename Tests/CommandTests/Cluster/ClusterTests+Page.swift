// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPMessage
import OAuthClient
import OAuthCore
import OAuthSystem
import PostgreSQLServer
import TestSupport
import Testing

extension ClusterTests {
    @Test func `the steps of docs/cluster.md: TLS, roles, and a backup that is restored on an empty machine`()
        async throws
    {
        let page = try ClusterPage()
        let authority = try await CertificateAuthority()
        let database = try await prepared(page, "db.example", authority)
        let server = address(of: database, as: "keybound_server", "db.example", authority)
        let port = FreePort.next()
        let network = NodeSwitch(issuer: "http://127.0.0.1:\(port)", port: port)
        let client = try client(at: port, network)

        try await register(server)
        var node = try await serve(server, port, at: port)
        let signedIn = try await signIn(client)
        let before = try await network.text(of: "/jwks", port)
        try await database.run(page.command(beginningWith: "(umask 077; pg_dump"))
        let refreshed = try await client.refreshAccessToken(signedIn)
        node.terminate()
        #expect(await node.result().status == 0)
        let refusal = try await run([
            "db", "migrate", "--database", server.replacing("db.example", with: "db9.example"),
        ])
        #expect(refusal.status != 0 && refusal.errors.contains("db9.example"), "\(refusal.errors)")

        // The other machine has another name, and nothing but the dump and the credential.
        let other = try await prepared(page, "db2.example", authority, migrates: false)
        try await other.run("cp \(database.directory)/keybound.dump .")
        await database.remove()
        try await other.run(page.command(beginningWith: "pg_restore"))
        let restored = address(of: other, as: "keybound_server", "db2.example", authority)
        let revoked = try await run(["grant", "revoke", "--all", "--yes", "--database", restored])
        #expect(revoked.status == 0, "\(revoked.errors)")
        node = try await serve(restored, port, at: port)
        #expect(try await network.text(of: "/jwks", port) == before, "tokens of before are still verified")
        for tokens in [signedIn, refreshed] {
            let error = await #expect(throws: OAuthClientError.self) { try await client.refreshAccessToken(tokens) }
            #expect(error?.answer?.error == .invalidGrant, "\(String(describing: error))")
        }
        let again = try await signIn(client)
        #expect(try await client.refreshAccessToken(again).refreshToken != nil)
        node.terminate()
        #expect(await node.result().status == 0)
        await other.remove()
    }

    /// A database server on which the page was followed up to the rights of the servers.
    private func prepared(
        _ page: ClusterPage,
        _ name: String,
        _ authority: CertificateAuthority,
        migrates: Bool = true
    ) async throws -> PostgreSQLServer {
        let database = try await PostgreSQLServer(named: name, by: authority)
        try await database.start()
        try await database.run("psql -X -v ON_ERROR_STOP=1 <<'SQL'\n\(page.statements[0])\nSQL")
        try directory.write(Data("*:*:*:*:secret of the test\n".utf8), to: "passwords")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600],
            ofItemAtPath: directory.path + "/passwords"
        )
        guard migrates else { return database }
        let owner = address(of: database, as: "keybound_owner", name, authority)
        let result = try await run(["db", "migrate", "--database", owner])
        try #require(result.status == 0, "\(result.errors)")
        try await database.run("psql -X -v ON_ERROR_STOP=1 -d keybound <<'SQL'\n\(page.statements[1])\nSQL")
        return database
    }

    /// 0.0.0.0 reaches this machine, but it is no loopback address: TLS is verified, and nothing else is allowed.
    private func address(
        of database: PostgreSQLServer,
        as role: String,
        _ name: String,
        _ authority: CertificateAuthority
    ) -> String {
        "postgresql://\(role)@\(name):\(database.port ?? 0)/keybound?hostaddr=0.0.0.0"
            + "&sslrootcert=\(authority.certificate)&passfile=\(directory.path)/passwords"
    }
}

/// What docs/cluster.md tells its reader to type.
private struct ClusterPage {
    /// Its blocks of SQL, with a password.
    let statements: [String]
    private let text: String

    init() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        text = try String(contentsOf: root.appending(path: "docs/cluster.md"), encoding: .utf8)
        statements = text.components(separatedBy: "```sql\n").dropFirst()
            .compactMap { $0.components(separatedBy: "```").first }
            .map { $0.replacing("'...'", with: "'secret of the test'") }
        try #require(statements.count == 2)
    }

    /// The only command that begins with a name and options.
    func command(beginningWith program: String) throws -> String {
        let commands = text.components(separatedBy: "`").filter { $0.hasPrefix(program + " -") }
        try #require(commands.count == 1, "\(program)")
        return commands[0]
    }
}

extension NodeSwitch {
    fileprivate func text(of path: String, _ port: UInt16) async throws -> String {
        let request = HTTPRequest(target: "http://127.0.0.1:\(port)\(path)")
        let response = try await send(request, maximumBodySize: 65536)
        try #require(response.status == 200)
        return String(decoding: response.body, as: UTF8.self)
    }
}
