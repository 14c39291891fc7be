// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import TestSupport
import Testing

/// A message bus and a keyring of their own, in a directory that goes with them: nothing of the machine's desktop is used.
final class Desktop: Sendable {
    /// The address of the bus.
    let busAddress: String
    private let directory: TemporaryDirectory
    private let bus: ChildProcess
    private let keyring: ChildProcess

    /// Starts both, with the keyring unlocked.
    init() async throws {
        directory = try TemporaryDirectory()
        busAddress = "unix:path=" + directory.path + "/bus"
        bus = try ChildProcess(
            try Self.program("dbus-daemon"),
            ["--session", "--nofork", "--nopidfile", "--address=" + busAddress, "--print-address=1"],
            environment: Self.environment(directory),
            directory: directory.path
        )
        try await Self.wait(for: "the message bus") { [bus] in bus.outputSoFar.contains("unix:path=") }
        keyring = try ChildProcess(
            try Self.program("gnome-keyring-daemon"),
            ["--foreground", "--unlock", "--components=secrets"],
            environment: Self.environment(directory, ["DBUS_SESSION_BUS_ADDRESS": busAddress]),
            directory: directory.path,
            input: "password of the keyring"
        )
        try await Self.wait(for: "the keyring") { [directory] in
            FileManager.default.fileExists(atPath: directory.path + "/data/keyrings/login.keyring")
        }
    }

    deinit {
        // The keyring ends with its bus, and its file is removed with the directory.
        keyring.kill()
        bus.kill()
    }

    /// Locks the keyring, as a screen lock may.
    func lock() async throws {
        try await send("org.freedesktop.Secret.Service.Lock", "array:objpath:/org/freedesktop/secrets/collection/login")
    }

    /// Deletes everything that the keyring has.
    func forgetAll() async throws {
        try await run("secret-tool", ["clear", "xdg:schema", "org.keybound.KeyFiles"])
    }

    /// Puts something else in the place of a secret.
    func replace(_ name: String, with text: String) async throws {
        try await forgetAll()
        try await run(
            "secret-tool",
            ["store", "--label=test", "xdg:schema", "org.keybound.KeyFiles", "keys", name],
            input: text
        )
    }

    /// Whether the keyring has a secret of our own.
    func hasSecret(_ name: String) async throws -> Bool {
        let result = try await result("secret-tool", ["search", "keys", name])
        return (result.output + result.errors).contains("org.keybound.KeyFiles")
    }

    private func send(_ method: String, _ arguments: String...) async throws {
        try await run(
            "dbus-send",
            ["--session", "--print-reply", "--dest=org.freedesktop.secrets", "/org/freedesktop/secrets", method] + arguments
        )
    }

    private func run(_ program: String, _ arguments: [String], input: String = "") async throws {
        let result = try await result(program, arguments, input: input)
        #expect(result.status == 0, "\(program): \(result.errors)")
    }

    private func result(_ program: String, _ arguments: [String], input: String = "") async throws -> ChildProcess.Result {
        try await ChildProcess(
            Self.program(program),
            arguments,
            environment: Self.environment(directory, ["DBUS_SESSION_BUS_ADDRESS": busAddress]),
            directory: directory.path,
            input: input
        ).result()
    }

    private static func environment(_ directory: TemporaryDirectory, _ more: [String: String] = [:]) -> [String: String] {
        [
            "HOME": directory.path, "XDG_DATA_HOME": directory.path + "/data", "XDG_RUNTIME_DIR": directory.path,
            "PATH": "/usr/bin:/bin",
        ].merging(more) { $1 }
    }

    private static func program(_ name: String) throws -> String {
        let path = "/usr/bin/" + name
        try #require(FileManager.default.isExecutableFile(atPath: path), "no \(path): run scripts/bootstrap test")
        return path
    }

    private static func wait(for what: String, _ isThere: @Sendable () -> Bool) async throws {
        for _ in 0..<3000 where !isThere() { try await Task.sleep(for: .milliseconds(10)) }
        try #require(isThere(), "\(what) did not start within half a minute")
    }
}
#endif
