// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import HTTPMessage
import HTTPServer
import OAuthCore
import OAuthSystem
import OAuthTransport
import ServerStorage
import StrictJSON
import TestSupport
import Testing

@testable import KeyboundCommand

/// A healthy installation, and what is broken in it, one thing at a time.
@Suite("keybound doctor")
struct DoctorTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// A configuration with a credential and a database that a first start has filled.
    private func install() async throws {
        let port = FreePort.next()
        try directory.write(
            """
            {
              "issuer": "http://127.0.0.1:\(port)", "listen": "127.0.0.1:\(port)", "allowInsecureLoopbackIssuer": true,
              "dataDirectory": "\(directory.path)/data", "keyCredentialFile": "\(directory.path)/credential",
              "scopes": { "notes:read": "read your notes" }
            }
            """,
            to: "keybound.json"
        )
        try directory.write(Data(SystemEntropy().bytes(32)), to: "credential")
        let server = try KeyboundProcess(["serve", "--config", "keybound.json"], in: directory)
        _ = try await server.line(beginningWith: "listening")
        server.terminate()
        _ = await server.result()
    }

    /// Runs the command; returns its exit code and what each check found.
    private func findings() async throws -> (status: Int32, rows: [JSONObject]) {
        let result = try await KeyboundProcess.run(["doctor", "--config", "keybound.json", "--json"], in: directory)
        let rows = try JSONValue(parsing: Array(result.output.utf8)).arrayValue?.compactMap(\.objectValue) ?? []
        #expect(rows.allSatisfy { $0["severity"]?.stringValue == "ok" || $0["advice"] != nil || Self.saysAll($0) })
        return (result.status, rows)
    }

    /// Failures of another command carry what to do in their text.
    private static func saysAll(_ row: JSONObject) -> Bool {
        row["severity"]?.stringValue == "note" || row["text"]?.stringValue?.contains { ":;".contains($0) } == true
    }

    private func failures(_ rows: [JSONObject]) -> [String] {
        rows.filter { $0["severity"]?.stringValue == "fail" }.map {
            "\($0["group"]?.stringValue ?? "")/\($0["check"]?.stringValue ?? ""): \($0["text"]?.stringValue ?? "")"
        }
    }

    @Test func `a running installation has no fault`() async throws {
        try await install()
        let server = try KeyboundProcess(["serve", "--config", "keybound.json"], in: directory)
        _ = try await server.line(beginningWith: "listening")
        let (status, rows) = try await findings()
        #expect(failures(rows).isEmpty)
        #expect(status == 0)
        let good = Set(rows.filter { $0["severity"]?.stringValue == "ok" }.compactMap { $0["check"]?.stringValue })
        // "credentials" is ok, "apartness" a warning: both files are in one directory.
        #expect(good.isSuperset(of: ["credentials", "database", "schema", "integrity", "opening", "rotation", "port"]))
        #expect(good.isSuperset(of: ["issuer", "offset"]))
        server.terminate()
        _ = await server.result()
    }

    @Test func `nothing secret is printed`() async throws {
        try await install()
        let credential = try Data(contentsOf: directory.url.appendingPathComponent("credential"))
        let result = try await KeyboundProcess.run(["doctor", "--config", "keybound.json"], in: directory)
        #expect(!result.output.contains(Base64URL.encode(Array(credential))))
        // The name of the directory is random, so it may have these letters.
        let said = result.output.replacing(directory.path, with: "")
        #expect(!said.contains("kb"), "identifiers of codes and tokens begin with kb and a letter")
    }

    /// What is broken, how, and which check must say so.
    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let check: String
        let text: String
        /// A command for the shell, in the directory of the installation.
        let command: String
    }

    static let faults: [Fault] = [
        Fault(
            testDescription: "the wrong credential",
            check: "keys/opening",
            text: "does not open",
            command: "head -c 32 /dev/zero > credential"
        ),
        Fault(
            testDescription: "a credential that is gone",
            check: "keys/opening",
            text: "credential",
            command: "rm credential"
        ),
        Fault(
            testDescription: "a credential of the wrong size",
            check: "keys/opening",
            text: "32",
            command: "printf x >> credential"
        ),
        Fault(
            testDescription: "a credential that others may read",
            check: "files/credentials",
            text: "can be read by everybody",
            command: "chmod 644 credential"
        ),
        Fault(
            testDescription: "a configuration that others may change",
            check: "files/configuration",
            text: "can be changed by everybody",
            command: "chmod 666 keybound.json"
        ),
        Fault(
            testDescription: "a database that others may read",
            check: "files/database",
            text: "can be read by everybody",
            command: "chmod 644 data/keybound.db"
        ),
        Fault(
            testDescription: "a file that is no database",
            check: "database/schema",
            text: "not a database",
            command: "rm -f data/keybound.db-*; yes text | head -c 100000 > data/keybound.db"
        ),
        Fault(
            testDescription: "a damaged page",
            check: "database/integrity",
            text: "damaged",
            command:
                "sqlite3 data/keybound.db 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null; "
                + "dd if=/dev/zero of=data/keybound.db bs=4096 seek=3 count=2 conv=notrunc 2>/dev/null"
        ),
        Fault(
            testDescription: "a list of free pages that is not there",
            check: "database/integrity",
            text: "reelist",
            command:
                "sqlite3 data/keybound.db 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null; "
                + "printf '\\000\\000\\000\\005' | dd of=data/keybound.db bs=1 seek=36 conv=notrunc 2>/dev/null"
        ),
        Fault(
            testDescription: "a database of a newer program",
            check: "database/schema",
            text: "schema version 9999",
            command: "sqlite3 data/keybound.db 'PRAGMA user_version = 9999'"
        ),
        Fault(
            testDescription: "used proofs in memory, and no nonces",
            check: "configuration/settings",
            text: "replayStore",
            command: #"sed -i 's/"scopes"/"noncePolicy": "off", "scopes"/' keybound.json"#
        ),
        Fault(
            testDescription: "an issuer that nobody answers at",
            check: "network/issuer",
            text: "cannot reach",
            command: "true"
        ),
    ]

    @Test(arguments: faults)
    func `a broken installation is noticed, with what to do`(fault: Fault) async throws {
        try await install()
        let shell = try ChildProcess(
            "/bin/sh",
            ["-ec", fault.command],
            environment: ["PATH": "/usr/bin:/bin"],
            directory: directory.path,
            input: ""
        )
        #expect(await shell.result().status == 0)
        let (status, rows) = try await findings()
        #expect(status == 1)
        let found = failures(rows).filter { $0.hasPrefix(fault.check + ":") }
        #expect(found.contains { $0.contains(fault.text) }, "\(failures(rows))")
    }

    @Test func `another program on the port is noticed`() async throws {
        let other = try HTTPListener(port: 0) { _ in HTTPResponse(status: 404) }
        try directory.write(
            """
            { "issuer": "http://127.0.0.1:\(other.port)", "listen": "127.0.0.1:\(other.port)",
              "allowInsecureLoopbackIssuer": true, "unencryptedKeyFile": true, "dataDirectory": "\(directory.path)/data" }
            """,
            to: "keybound.json"
        )
        let (status, rows) = try await findings()
        await other.stop(draining: .zero)
        #expect(status == 1)
        #expect(failures(rows).contains { $0.contains("network/port: the server cannot listen") })
        #expect(failures(rows).contains { $0.contains("network/issuer") && $0.contains("answers 404") })
    }

    @Test func `a credential that only the service gets is no fault of the keys`() async throws {
        try directory.write(
            """
            { "issuer": "https://127.0.0.1:9", "listen": "127.0.0.1:\(FreePort.next())", "keyCredential": "keybound-key",
              "dataDirectory": "\(directory.path)/data" }
            """,
            to: "keybound.json"
        )
        let (status, rows) = try await findings()
        #expect(failures(rows).allSatisfy { $0.hasPrefix("network/issuer") })
        #expect(rows.contains { $0["text"]?.stringValue?.contains("to the service only") == true })
        #expect(status == 1)
    }

    /// The checks as the command runs them, with another network and another time.
    private func context(_ answers: [String: HTTPResponse] = [:], after time: Duration = .zero) throws -> DoctorContext
    {
        var arguments = ParsedArguments(RunDoctor.syntax)
        arguments.add(ServerSettings.configuration, directory.path + "/keybound.json")
        return DoctorContext(
            settings: try ServerSettings(arguments, optionsFor: Setting.storage),
            configurationFile: nil,
            machine: ThisMachine(),
            transport: Answers(answers: answers),
            certificates: { _ in throw OAuthCoreError(.transportFailed, "no network") },
            clock: FixedClock(secondsSince1970: (SystemWallClock().now() + time).secondsSince1970)
        )
    }

    /// Answers by the path of the request; 404 for others.
    private struct Answers: HTTPTransport {
        let answers: [String: HTTPResponse]

        func send(_ request: HTTPRequest, maximumBodySize: Int) async throws(OAuthCoreError) -> HTTPResponse {
            (try? URI(parsing: request.target)).flatMap { answers[$0.path] } ?? HTTPResponse(status: 404)
        }
    }

    @Test func `another server at the issuer is noticed by its keys`() async throws {
        try await install()
        let issuer = try #require(try context().issuer).description
        func answers(_ kid: String) -> [String: HTTPResponse] {
            let metadata = #"{"issuer":"\#(issuer)","jwks_uri":"\#(issuer)/jwks"}"#
            return [
                "/.well-known/oauth-authorization-server": HTTPResponse(status: 200, body: Array(metadata.utf8)),
                "/jwks": HTTPResponse(status: 200, body: Array(#"{"keys":[{"kid":"\#(kid)"}]}"#.utf8)),
            ]
        }
        let own = try #require(try await context().signingKeys()?.first).keyID
        let good = await DoctorCheck.issuer.findings(try context(answers(own)))
        #expect(good.map(\.severity) == [.good, .good])
        let foreign = await DoctorCheck.issuer.findings(try context(answers("another")))
        #expect(foreign.map(\.severity) == [.good, .failure])
        #expect(foreign.last?.text.contains("another server answers there") == true)
    }

    @Test func `a credential beside the database is noticed`() async throws {
        try await install()
        #expect(try await DoctorCheck.apartness.run(try context()).map(\.severity) == [.good])
        let text = try directory.text(of: "keybound.json")
        try directory.write(text.replacing("/credential\"", with: "/data/credential\""), to: "keybound.json")
        #expect(try await DoctorCheck.apartness.run(try context()).map(\.severity) == [.warning])
    }

    private func makeBackupDirectory() throws {
        try FileManager.default.createDirectory(
            at: directory.url.appendingPathComponent("data/backups"),
            withIntermediateDirectories: false
        )
    }

    @Test func `the age of the last backup is told, and an old one or none is noticed`() async throws {
        try await install()
        #expect(try await DoctorCheck.backup.run(try context()).map(\.severity) == [.note])
        try makeBackupDirectory()
        try directory.write("copy", to: "data/backups/26.db")
        try directory.write("", to: "data/backups/27.db")
        #expect(try await DoctorCheck.backup.run(try context(after: .seconds(25 * 3600))).map(\.severity) == [.good])
        let late = try await DoctorCheck.backup.run(try context(after: .seconds(30 * 3600)))
        #expect(late.map(\.severity) == [.warning])
        #expect(late.first?.text.contains("30 hours old") == true || late.first?.text.contains("29 hours old") == true)
    }

    @Test func `a backup that was cut off does not count`() async throws {
        try await install()
        try makeBackupDirectory()
        try directory.write("", to: "data/backups/27.db")
        #expect(try await DoctorCheck.backup.run(try context()).map(\.severity) == [.note])
    }

    @Test func `a key that nobody followed is noticed`() async throws {
        try await install()
        #expect(await DoctorCheck.rotation.findings(try context()).map(\.severity) == [.good])
        let later = await DoctorCheck.rotation.findings(try context(after: .seconds(400 * 86_400)))
        #expect(later.map(\.severity) == [.warning])
    }

    @Test func `accounts that others can look into are noticed`() async throws {
        let state = directory.url.appendingPathComponent("state/keybound")
        try FileManager.default.createDirectory(at: state, withIntermediateDirectories: true)
        for (mode, status) in [(0o700, 0), (0o755, 1)] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: state.path)
            let result = try await KeyboundProcess.run(["doctor"], in: directory)
            #expect(Int(result.status) == status, Comment(rawValue: result.output))
            #expect(result.output.contains("chmod 700") == (status == 1))
        }
    }

    @Test func `it creates nothing`() async throws {
        try directory.write(
            """
            { "issuer": "http://127.0.0.1:9", "listen": "127.0.0.1:0", "allowInsecureLoopbackIssuer": true,
              "unencryptedKeyFile": true, "dataDirectory": "\(directory.path)/data" }
            """,
            to: "keybound.json"
        )
        _ = try await findings()
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["keybound.json"])
    }
}
#endif
