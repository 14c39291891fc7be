// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation

/// A separate message bus and keyring, in a directory of the test: nothing of the machine's desktop is used.
public final class Desktop: Sendable {
    /// A program that the desktop needs is missing, or does not start.
    public struct CannotStart: Error, CustomStringConvertible {
        /// What is missing, and how to fix it.
        public let description: String
    }

    /// The address of the bus.
    public let busAddress: String
    private let directory: String
    private let bus: ChildProcess
    private let keyring: ChildProcess

    /// Starts both, with the keyring unlocked.
    ///
    /// - Parameter directory: An existing directory, which outlives the desktop; the path must be short, because it
    ///   contains a socket.
    /// - Throws: ``CannotStart``.
    public init(in directory: String) async throws {
        self.directory = directory
        busAddress = "unix:path=" + directory + "/bus"
        bus = try ChildProcess(
            try Self.program("dbus-daemon"),
            ["--session", "--nofork", "--nopidfile", "--address=" + busAddress, "--print-address=1"],
            environment: Self.environment(directory),
            directory: directory
        )
        try await Self.wait(for: "the message bus") { [bus] in bus.outputSoFar.contains("unix:path=") }
        keyring = try ChildProcess(
            try Self.program("gnome-keyring-daemon"),
            ["--foreground", "--unlock", "--components=secrets"],
            environment: Self.environment(directory, ["DBUS_SESSION_BUS_ADDRESS": busAddress]),
            directory: directory,
            input: "password of the keyring"
        )
        // It closes its output once it has its name on the bus, which is after it has made the file. A call before would
        // make the bus start a second one, which nothing ends.
        try await Self.wait(for: "the keyring") { [keyring] in
            keyring.hasClosedOutput
                && FileManager.default.fileExists(atPath: directory + "/data/keyrings/login.keyring")
        }
    }

    deinit {
        bus.kill()
        keyring.kill()
    }

    /// Ends both, as when the user logs out.
    public func end() async {
        // The bus first: it must not start another keyring.
        bus.kill()
        keyring.kill()
        _ = await keyring.result()
        _ = await bus.result()
    }

    /// Locks the keyring, as a screen lock may.
    public func lock() async throws {
        try await run(
            "dbus-send",
            [
                "--session", "--print-reply", "--dest=org.freedesktop.secrets", "/org/freedesktop/secrets",
                "org.freedesktop.Secret.Service.Lock", "array:objpath:/org/freedesktop/secrets/collection/login",
            ]
        )
    }

    /// Deletes Keybound's items from the keyring.
    public func forgetAll() async throws {
        try await run("secret-tool", ["clear", "xdg:schema", "org.keybound.KeyFiles"])
    }

    /// Replaces a secret with another text.
    ///
    /// - Parameters:
    ///   - name: The name of the secret.
    ///   - text: The new text.
    /// - Throws: ``CannotStart``.
    public func replace(_ name: String, with text: String) async throws {
        // Reports by its status if there was nothing to delete.
        _ = try await result("secret-tool", ["clear", "xdg:schema", "org.keybound.KeyFiles"])
        try await run(
            "secret-tool",
            ["store", "--label=test", "xdg:schema", "org.keybound.KeyFiles", "keys", name],
            input: text
        )
    }

    /// Whether the keyring contains an item of Keybound.
    ///
    /// - Parameter name: The name of the secret; `nil` for any.
    /// - Returns: Whether it contains one.
    /// - Throws: ``CannotStart``.
    public func hasSecret(_ name: String? = nil) async throws -> Bool {
        let attributes = ["xdg:schema", "org.keybound.KeyFiles"] + (name.map { ["keys", $0] } ?? [])
        let result = try await result("secret-tool", ["search", "--all"] + attributes)
        return (result.output + result.errors).contains("org.keybound.KeyFiles")
    }

    private func run(_ program: String, _ arguments: [String], input: String = "") async throws {
        let result = try await result(program, arguments, input: input)
        guard result.status == 0 else { throw CannotStart(description: "\(program) failed: \(result.errors)") }
    }

    private func result(
        _ program: String,
        _ arguments: [String],
        input: String = ""
    ) async throws -> ChildProcess.Result {
        try await ChildProcess(
            Self.program(program),
            arguments,
            environment: Self.environment(directory, ["DBUS_SESSION_BUS_ADDRESS": busAddress]),
            directory: directory,
            input: input
        ).result()
    }

    private static func environment(_ directory: String, _ more: [String: String] = [:]) -> [String: String] {
        [
            "HOME": directory, "XDG_DATA_HOME": directory + "/data", "XDG_RUNTIME_DIR": directory,
            "PATH": "/usr/bin:/bin",
        ]
        .merging(more) { $1 }
    }

    private static func program(_ name: String) throws -> String {
        let path = "/usr/bin/" + name
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw CannotStart(description: "there is no \(path): run scripts/bootstrap test")
        }
        return path
    }

    private static func wait(for what: String, _ isThere: @Sendable () -> Bool) async throws {
        for _ in 0..<30_000 where !isThere() { try await Task.sleep(for: .milliseconds(10)) }
        guard isThere() else { throw CannotStart(description: "\(what) did not start within five minutes") }
    }
}
#endif
