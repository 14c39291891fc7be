// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import TestSupport
import Testing

@Suite("Examples/cluster: each program takes its configuration")
struct ClusterExampleTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func example(_ name: String) throws -> String {
        try String(contentsOf: Self.root.appending(path: "Examples/cluster/" + name), encoding: .utf8)
    }

    private func run(_ program: String, _ arguments: String...) async throws -> ChildProcess.Result {
        try await ChildProcess(
            program,
            arguments,
            environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C"],
            directory: directory.path
        ).result()
    }

    @Test func `the settings of a node, which are those of the page`() async throws {
        let settings = try example("keybound.json")
        let page = try String(contentsOf: Self.root.appending(path: "docs/cluster.md"), encoding: .utf8)
        #expect(page.contains(settings))
        try directory.write(settings, to: "keybound.json")
        let result = try await KeyboundProcess.run(
            ["serve", "--config", "keybound.json", "--unencrypted-key-file", "--check"],
            in: directory
        )
        #expect(result.status == 0, Comment(rawValue: result.errors))
    }

    @Test func `HAProxy, with the configuration of the page`() async throws {
        let configuration = try example("haproxy.cfg")
        let page = try String(contentsOf: Self.root.appending(path: "docs/cluster.md"), encoding: .utf8)
        let body = try #require(configuration.range(of: "defaults\n").map { String(configuration[$0.lowerBound...]) })
        #expect(page.contains(body))
        let made = try await run(
            "/usr/bin/openssl",
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-nodes",
            "-keyout",
            "auth.key",
            "-out",
            "auth.crt",
            "-subj",
            "/CN=auth.example.com",
            "-days",
            "2"
        )
        #expect(made.status == 0, Comment(rawValue: made.errors))
        try directory.write(try directory.text(of: "auth.crt") + directory.text(of: "auth.key"), to: "auth.pem")
        try directory.write(
            configuration.replacing("/etc/haproxy/auth.pem", with: directory.path + "/auth.pem"),
            to: "haproxy.cfg"
        )
        let checked = try await run("/usr/sbin/haproxy", "-c", "-f", "haproxy.cfg")
        #expect(checked.status == 0, Comment(rawValue: checked.errors))
    }

    @Test func `systemd takes the unit of a node`() async throws {
        let unit = try String(
            contentsOf: Self.root.appending(path: "packaging/systemd/keybound.service"),
            encoding: .utf8
        ).replacing("/usr/bin/keybound", with: "/bin/true").replacing(/Documentation=.*/, with: "")
        try directory.write(unit, to: "keybound.service")
        let folder = directory.path + "/keybound.service.d"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try directory.write(try example("systemd/cluster.conf"), to: "keybound.service.d/cluster.conf")
        let verified = try await run("/usr/bin/systemd-analyze", "verify", directory.path + "/keybound.service")
        #expect(verified.status == 0 && verified.errors.isEmpty, Comment(rawValue: verified.errors))
        let page = try String(contentsOf: Self.root.appending(path: "docs/cluster.md"), encoding: .utf8)
        #expect(page.contains("Examples/cluster/systemd/cluster.conf"), "the page does not say where it belongs")
    }

    @Test func `PostgreSQL reads its settings, and waits for a standby`() async throws {
        let programs = try FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")
        let newest = try #require(programs.compactMap { Int($0) }.max())
        try directory.write(try example("postgresql.conf"), to: "postgresql.conf")
        // It refuses to run as root, so it runs as a user who may only read this.
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: directory.path)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o644],
            ofItemAtPath: directory.path + "/postgresql.conf"
        )
        let user = geteuid() == 0 ? "setpriv --reuid=postgres --regid=postgres --clear-groups " : ""
        for (name, value) in [("synchronous_standby_names", "ANY 1 (d0, d1, d2)"), ("ssl", "on")] {
            let shown = try await run(
                "/bin/bash",
                "-c",
                "\(user)/usr/lib/postgresql/\(newest)/bin/postgres -D '\(directory.path)' -C \(name)"
            )
            #expect(shown.output == value + "\n", Comment(rawValue: shown.errors))
        }
    }
}
#endif
