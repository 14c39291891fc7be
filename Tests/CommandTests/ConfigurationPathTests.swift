// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import OAuthSystem
import TestSupport
import Testing

@testable import KeyboundCommand

/// A server and the commands of its operator are started anywhere, and use the same files.
@Suite("Paths in the configuration file")
struct ConfigurationPathTests {
    private let directory: TemporaryDirectory
    private var folder: String { directory.path + "/conf" }
    private var file: String { folder + "/keybound.json" }

    init() throws {
        directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(atPath: directory.path + "/conf", withIntermediateDirectories: false)
        try directory.write(Data(SystemEntropy().bytes(32)), to: "conf/credential")
        try directory.write("correct horse battery staple", to: "password")
    }

    private func configure(_ more: String = "") throws {
        let port = FreePort.next()
        try directory.write(
            """
            {
              "issuer": "http://127.0.0.1:\(port)", "listen": "127.0.0.1:\(port)", "allowInsecureLoopbackIssuer": true,
              "dataDirectory": "data", "keyCredentialFile": "credential", "auditLog": "audit.log"\(more)
            }
            """,
            to: "conf/keybound.json"
        )
    }

    private func isThere(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: folder + "/" + name)
    }

    @Test func `are in the folder of the file, for operators, the server and doctor`() async throws {
        try configure()
        let added = try await KeyboundProcess.run(
            ["user", "add", "ada", "--config", "conf/keybound.json", "--password-file", "password"],
            in: directory
        )
        #expect(added.status == 0, Comment(rawValue: added.errors))
        #expect(isThere("data/keybound.db") && isThere("audit.log"))

        let elsewhere = try TemporaryDirectory()
        let checked = try await KeyboundProcess.run(["serve", "--check", "--config", file], in: elsewhere)
        #expect(checked.status == 0, Comment(rawValue: checked.errors))
        let listed = try await KeyboundProcess.run(["user", "list", "--config", file], in: elsewhere)
        #expect(listed.output.contains("ada"), Comment(rawValue: listed.errors))
        let doctor = try await KeyboundProcess.run(["doctor", "--config", file], in: elsewhere)
        #expect(doctor.output.contains("\(folder)/credential is closed to others"), Comment(rawValue: doctor.output))

        let server = try KeyboundProcess(["serve", "--config", file], in: elsewhere)
        #expect(try await server.line(beginningWith: "database") == "database   \(folder)/data/keybound.db")
        server.terminate()
        #expect(await server.result().status == 0)
    }

    @Test func `an option is in the working directory, whatever the file says`() async throws {
        try configure()
        let added = try await KeyboundProcess.run(
            ["user", "add", "ada", "--config", "conf/keybound.json", "--password-file", "password"]
                + ["--database", "other.db"],
            in: directory
        )
        #expect(added.status == 0, Comment(rawValue: added.errors))
        #expect(FileManager.default.fileExists(atPath: directory.path + "/other.db"))
        #expect(!isThere("data/keybound.db"))
    }

    @Test func `words, addresses and paths from the root on stay as they are`() throws {
        try directory.write(
            """
            {
              "auditLog": "none", "signatureLanes": "off", "database": "postgresql://a@db.example/keybound",
              "loginKeys": "/etc/login.jwks", "keys": { "pinFile": "pin" },
              "attesters": { "apps": { "jwks": "apps.jwks", "clients": ["app"] } }
            }
            """,
            to: "conf/keybound.json"
        )
        let given = try ConfigurationFile(file).settings()
        #expect(given[.auditLog]?.values == ["none"])
        #expect(given[.signatureLanes]?.values == ["off"])
        #expect(given[.database]?.values == ["postgresql://a@db.example/keybound"])
        #expect(given[.loginKeys]?.values == ["/etc/login.jwks"])
        #expect(given[.signingKeysPINFile]?.values == [folder + "/pin"])
        #expect(given[.attesters]?.values.first?.hasPrefix("apps={") == true)
        #expect(given[.attesters]?.values.first?.contains("conf/apps.jwks") == true)
    }
}
#endif
