// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import TestSupport
import Testing

/// The scripts that dpkg runs, on directories of a test in the place of those of the machine.
@Suite("Scripts of the .deb")
struct MaintainerScriptTests {
    private static let scripts = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "packaging/debian")
    private let directory: TemporaryDirectory

    /// A machine with systemd, on which no service starts.
    init() async throws {
        directory = try TemporaryDirectory()
        for path in ["bin", "etc/keybound", "run/systemd/system", "var/lib/keybound", "var/log/keybound"] {
            try FileManager.default.createDirectory(
                atPath: directory.path + "/" + path,
                withIntermediateDirectories: true
            )
        }
        try directory.write("", to: "calls")
        let fakes = [
            "systemctl": "[ \"$1\" != try-restart ] || exit 1", "systemd-sysusers": "true",
            "chgrp": "for last; do :; done; [ -e \"$last\" ]",
        ]
        for (name, script) in fakes {
            try directory.write("#!/bin/sh\necho \(name) \"$@\" >>'\(directory.path)/calls'\n\(script)\n", to: name)
        }
        // Copied by another program: one of another test may have inherited what this process writes, and what somebody may
        // write cannot be run.
        let copied = try await ChildProcess(
            "/usr/bin/install",
            ["-m", "755"] + fakes.keys.sorted() + ["bin"],
            environment: ["PATH": "/usr/bin:/bin", "LC_ALL": "C"],
            directory: directory.path
        ).result()
        try #require(copied.status == 0, Comment(rawValue: copied.errors))
    }

    private func run(_ script: String, _ arguments: String...) async throws -> ChildProcess.Result {
        let text = try String(contentsOf: Self.scripts.appending(path: script), encoding: .utf8)
        // Nothing of the machine is touched.
        let moved = text.replacing(/\/(?:etc|run|var)\//) { "\(directory.path)\($0.output)" }
        try directory.write(moved, to: script)
        return try await ChildProcess(
            "/bin/sh",
            [directory.path + "/" + script] + arguments,
            environment: ["PATH": "\(directory.path)/bin:/usr/bin:/bin", "LC_ALL": "C"],
            directory: directory.path
        ).result()
    }

    private func isThere(_ path: String) -> Bool {
        // A link counts, whatever it points to.
        (try? FileManager.default.attributesOfItem(atPath: directory.path + "/" + path)) != nil
    }

    @Test func `a server that does not start after an update leaves no half-configured package`() async throws {
        let updated = try await run("postinst", "configure", "1.0-1")
        #expect(updated.status == 0, Comment(rawValue: updated.errors))
        for unit in ["keybound.service", "keybound-gateway.service"] {
            #expect(updated.errors.contains("keybound: \(unit) does not start"), Comment(rawValue: updated.errors))
            #expect(try directory.text(of: "calls").contains("systemctl try-restart \(unit)\n"))
        }
    }

    @Test func `the service may read each configuration, and there need not be one`() async throws {
        #expect(try await run("postinst", "configure").status == 0)
        try directory.write("{}", to: "etc/keybound/gateway.json")
        #expect(try await run("postinst", "configure").status == 0)
        let calls = try directory.text(of: "calls")
        #expect(calls.contains("chgrp keybound \(directory.path)/etc/keybound\n"))
        #expect(calls.contains("chgrp keybound \(directory.path)/etc/keybound/gateway.json\n"))
        #expect(!calls.contains("try-restart"), "it starts nothing at the first installation")
    }

    @Test func `purging takes away what enabling the units made, and nothing else`() async throws {
        let links = [
            "multi-user.target.wants/keybound.service", "multi-user.target.wants/keybound-gateway.service",
            "sockets.target.wants/keybound.socket", "sockets.target.wants/keybound-gateway.socket",
            "timers.target.wants/keybound-backup.timer",
        ].map { "etc/systemd/system/" + $0 }
        let other = "etc/systemd/system/multi-user.target.wants/nginx.service"
        for link in links + [other] {
            let path = directory.path + "/" + link
            try FileManager.default.createDirectory(
                at: URL(filePath: path).deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try FileManager.default.createSymbolicLink(
                atPath: path,
                withDestinationPath: "/usr/lib/systemd/system/" + URL(filePath: path).lastPathComponent
            )
        }
        #expect(try await run("postrm", "remove").status == 0)
        #expect(links.allSatisfy(isThere) && isThere("var/lib/keybound"))
        #expect(try await run("postrm", "purge").status == 0)
        for path in links + ["etc/keybound", "var/lib/keybound", "var/log/keybound"] {
            #expect(!isThere(path), "\(path)")
        }
        #expect(isThere(other))
    }
}
#endif
