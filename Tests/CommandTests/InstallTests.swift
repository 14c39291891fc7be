// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import SigningKeys
import TestSupport
import Testing

@testable import KeyboundCommand

/// `make install` into a directory of its own, with the command that was built beside the tests.
@Suite("make install")
struct InstallTests {
    private let directory: TemporaryDirectory
    private let root: URL

    init() throws {
        directory = try TemporaryDirectory()
        root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
    }

    private func run(_ program: String, _ arguments: [String]) async throws -> ChildProcess.Result {
        let child = try ChildProcess(
            program,
            arguments,
            environment: [
                "PATH": "/usr/bin:/bin", "PROGRAM": KeyboundProcess.executable.path,
                "DESTDIR": directory.path, "PREFIX": "/usr",
            ],
            directory: root.path,
            input: ""
        )
        return await child.result()
    }

    private func files() async throws -> Set<String> {
        let found = try await run("/usr/bin/find", [directory.path, "-type", "f", "-printf", "/%P %m\\n"])
        return Set(found.output.split(separator: "\n").map(String.init))
    }

    @Test func `it installs what it says, keeps a configuration, and takes the rest away again`() async throws {
        let installed = try await run("scripts/install", [])
        #expect(installed.status == 0, Comment(rawValue: installed.errors))
        let files = try await files()
        let expected: Set = [
            "/usr/bin/keybound 755", "/usr/share/man/man1/keybound-serve.1.gz 644",
            "/usr/share/man/man5/keybound.json.5.gz 644", "/usr/share/bash-completion/completions/keybound 644",
            "/usr/share/zsh/vendor-completions/_keybound 644", "/usr/share/fish/vendor_completions.d/keybound.fish 644",
            "/usr/lib/systemd/system/keybound.service 644", "/usr/lib/systemd/system/keybound.socket 644",
            "/usr/lib/systemd/system/keybound-gateway.service 644",
            "/usr/lib/systemd/system/keybound-gateway.socket 644",
            "/usr/lib/systemd/system/keybound-backup.service 644", "/usr/lib/systemd/system/keybound-backup.timer 644",
            "/usr/lib/sysusers.d/keybound.conf 644", "/usr/share/doc/keybound/LICENSE 644",
            "/usr/share/doc/keybound/examples/keybound.json 644", "/etc/keybound/gateway.json 640",
        ]
        #expect(files.isSuperset(of: expected), "\(expected.subtracting(files))")
        let program = directory.path + "/usr/bin/keybound"
        #expect(try await run(program, ["version"]).output.hasPrefix("keybound "))
        let check = try await run(
            program,
            ["serve", "--check", "--config", directory.path + "/usr/share/doc/keybound/examples/keybound.json"]
        )
        #expect(check.status == 0, Comment(rawValue: check.errors))
        let gateway = try await run(
            program,
            ["gateway", "--check", "--config", directory.path + "/etc/keybound/gateway.json"]
        )
        #expect(gateway.status == 0, Comment(rawValue: gateway.errors))

        #expect(!files.contains { $0.hasPrefix("/etc/keybound/keybound.json") }, "keybound init writes it")
        try directory.write("{}", to: "etc/keybound/keybound.json")
        try directory.write("{}", to: "etc/keybound/gateway.json")
        #expect(try await run("scripts/install", []).status == 0)
        #expect(try directory.text(of: "etc/keybound/keybound.json") == "{}")
        #expect(try directory.text(of: "etc/keybound/gateway.json") == "{}")
        #expect(try await run("scripts/install", ["--remove"]).status == 0)
        let rest = try await self.files().map { $0.prefix { $0 != " " } }
        #expect(Set(rest) == ["/etc/keybound/keybound.json", "/etc/keybound/gateway.json"])
    }

    @Test func `systemd starts a server again until its database is back, however long that takes`() throws {
        for name in ["keybound.service", "keybound-gateway.service"] {
            let lines = try unit(name)
            #expect(lines.contains("Restart=on-failure"), "\(name)")
            // systemd gives up after five starts within ten seconds, unless a unit says otherwise. Four pauses must be clearly
            // longer.
            let pause = try #require(lines.first { $0.hasPrefix("RestartSec=") }, "\(name)")
            let seconds = try #require(Int(pause.dropFirst("RestartSec=".count).dropLast()), "\(pause)")
            #expect(pause.hasSuffix("s") && 4 * seconds >= 15, "\(name)")
            // It is also what keeps a socket from starting a server with a wrong PIN again and again.
            #expect(!lines.contains { $0.hasPrefix("StartLimit") }, "\(name)")
        }
    }

    @Test func `systemd starts nothing again that a person has to mend, such as a wrong PIN`() throws {
        #expect(try finalCodes("keybound.service") == [ExitCode.usage.rawValue, ExitCode.keyLocked.rawValue])
        #expect(try finalCodes("keybound-gateway.service") == [ExitCode.usage.rawValue])
        let wrongPIN = CommandFailure(describing: KeyStoreError(.wrongPIN, "the PIN is wrong"))
        #expect(wrongPIN.exitCode == .keyLocked)
        // These may be mended by time.
        for name in ["keybound.service", "keybound-gateway.service"] {
            let codes = try finalCodes(name)
            for code in [ExitCode.failure, .unavailable] { #expect(!codes.contains(code.rawValue), "\(name): \(code)") }
        }
    }

    @Test func `systemd waits for a server that changes the tables of a large database`() throws {
        // Otherwise it kills the server after 90 seconds, and the next start begins again.
        #expect(try unit("keybound.service").contains("TimeoutStartSec=infinity"))
    }

    /// What the unit of the backup runs, in this directory and with this in the place of `keybound`.
    private func backUp() async throws -> Int32 {
        let prefixes = ["ExecStartPre=", "ExecStart="]
        for line in try unit("keybound-backup.service") {
            guard let prefix = prefixes.first(where: { line.hasPrefix($0) }) else { continue }
            let command = String(line.dropFirst(prefix.count)).replacing("%%", with: "%")
                .replacing("/var/lib/keybound", with: directory.path)
                .replacing("/usr/bin/keybound", with: "/bin/sh \(directory.path)/program")
            let result = try await run("/bin/sh", ["-c", command])
            guard result.status == 0 else { return result.status }
        }
        return 0
    }

    @Test func `a backup that fails leaves the copy of a month ago where it is`() async throws {
        // Like the command it overwrites nothing; unlike the command it leaves an incomplete copy, as one that was killed.
        try directory.write("set -eC; cat '\(directory.path)/database' >\"$5\"", to: "program")
        let day = try await run("/bin/date", ["+%d"]).output.prefix(2)
        let name = "\(day).db"
        let backups = directory.path + "/backups"
        try FileManager.default.createDirectory(atPath: backups, withIntermediateDirectories: false)
        try directory.write("of a month ago", to: "backups/\(name)")
        for _ in 0..<2 {
            #expect(try await backUp() != 0)
            #expect(try directory.text(of: "backups/\(name)") == "of a month ago")
            // It is made below backups/, which may be a disk of its own: only there a move is a rename.
            #expect(try FileManager.default.contentsOfDirectory(atPath: backups + "/unfinished") == ["backup.db"])
        }
        func copies() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: backups).filter { $0 != "unfinished" }
        }
        #expect(try copies() == [name])
        try directory.write("of today", to: "database")
        #expect(try await backUp() == 0)
        // At midnight the day changes.
        #expect(try copies().contains { try directory.text(of: "backups/\($0)") == "of today" })
        #expect(try FileManager.default.contentsOfDirectory(atPath: backups + "/unfinished").isEmpty)
    }

    @Test func `server and backup may write to the same directories, as both write the audit log`() throws {
        let directories = try ["keybound.service", "keybound-backup.service"].map { name in
            try unit(name).filter { $0.hasPrefix("StateDirectory") || $0.hasPrefix("LogsDirectory") }
        }
        #expect(directories[0].contains("LogsDirectory=keybound") && directories[0] == directories[1])
    }

    @Test func `init names the timer of backups only where there is a file to copy`() {
        let start = "sudo systemctl enable --now keybound.service"
        #expect(ServerSetup.startingCommand(isDatabaseShared: false) == start + " keybound-backup.timer")
        #expect(ServerSetup.startingCommand(isDatabaseShared: true) == start)
    }

    /// The exit codes after which a unit is not started again.
    private func finalCodes(_ name: String) throws -> [Int32] {
        let setting = "RestartPreventExitStatus="
        let line = try #require(try unit(name).first { $0.hasPrefix(setting) }, "\(name)")
        return try line.dropFirst(setting.count).split(separator: " ").map { try #require(Int32($0), "\(line)") }
    }

    private func unit(_ name: String) throws -> [String] {
        let text = try String(contentsOf: root.appendingPathComponent("packaging/systemd/\(name)"), encoding: .utf8)
        return text.split(separator: "\n").map(String.init)
    }

    @Test func `systemd takes the units, and they give the server little`() async throws {
        let names = ["keybound.service", "keybound-gateway.service", "keybound-backup.service"]
        for name in names {
            // The program is not at its place here, and the pages neither.
            let unit = try String(contentsOf: root.appendingPathComponent("packaging/systemd/\(name)"), encoding: .utf8)
                .replacing("/usr/bin/keybound", with: "/bin/true").replacing(/Documentation=.*/, with: "")
            try directory.write(unit, to: name)
            let verified = try await run("/usr/bin/systemd-analyze", ["verify", directory.path + "/" + name])
            #expect(verified.status == 0, Comment(rawValue: verified.errors))
            let security = try await run(
                "/usr/bin/systemd-analyze",
                ["security", "--offline=true", "--threshold=35", directory.path + "/" + name]
            )
            // In tenths; above the threshold it fails.
            #expect(security.status == 0, Comment(rawValue: security.output.suffix(200).description))
        }
    }
}
#endif
