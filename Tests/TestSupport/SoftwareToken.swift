// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation

/// A folder of software PKCS #11 tokens (SoftHSM), and a module in front of them with which a test can remove tokens.
public struct SoftwareToken: Sendable {
    /// The module of SoftHSM.
    public static let module = "/usr/lib/softhsm/libsofthsm2.so"
    /// The PIN of every token.
    public static let pin = "1234"

    /// A program failed that must succeed.
    public struct Failure: Error, CustomStringConvertible {
        /// What happened.
        public let description: String
    }

    private let directory: String

    /// Makes tokens.
    ///
    /// - Parameters:
    ///   - directory: An existing directory for the tokens.
    ///   - labels: The labels of the tokens.
    /// - Throws: ``Failure``, and errors of the file system.
    public init(in directory: String, labels: [String]) async throws {
        self.directory = directory
        try FileManager.default.createDirectory(atPath: directory + "/tokens", withIntermediateDirectories: false)
        try """
        directories.tokendir = \(directory)/tokens
        objectstore.backend = file
        log.level = ERROR

        """.write(toFile: directory + "/softhsm2.conf", atomically: true, encoding: .utf8)
        for label in labels {
            try await run(
                "softhsm2-util",
                ["--init-token", "--free", "--label", label, "--so-pin", "12345678", "--pin", Self.pin]
            )
        }
    }

    /// The environment of a process that uses the tokens.
    public var environment: [String: String] {
        [
            "SOFTHSM2_CONF": directory + "/softhsm2.conf", "TEST_TOKENS_OUT": outFile, "TEST_TOKENS_LOGINS": loginFile,
        ]
    }

    /// How often processes with the module of ``buildModule(named:options:)`` sent a PIN to a token.
    public var loginCount: Int {
        (try? String(contentsOfFile: loginFile, encoding: .utf8))?.split(separator: "\n").count ?? 0
    }

    private var loginFile: String { directory + "/logins" }
    private var outFile: String { directory + "/tokens-are-out" }

    /// Builds the module of `Tests/PKCS11Module` in front of SoftHSM.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - options: Compiler options.
    /// - Returns: Its path.
    /// - Throws: ``Failure``.
    @discardableResult
    public func buildModule(named name: String = "faults", options: [String] = []) async throws -> String {
        let path = "\(directory)/\(name).so"
        let source =
            URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().path
            + "/PKCS11Module/fault_module.c"
        let behind = ["-DSOFTHSM=\"\(Self.module)\""]
        let output = ["-shared", "-fPIC", "-O1", "-o", path, source]
        try await run("clang", ["-Wall", "-Wextra", "-Werror"] + behind + options + output)
        return path
    }

    /// Removes all tokens, for processes that use the module of ``buildModule(named:options:)``.
    ///
    /// - Throws: Errors of the file system.
    public func takeOut() throws {
        try Data().write(to: URL(fileURLWithPath: outFile))
    }

    /// Inserts all tokens again.
    ///
    /// - Throws: Errors of the file system.
    public func putBack() throws {
        try FileManager.default.removeItem(atPath: outFile)
    }

    /// Runs `pkcs11-tool`, an independent program, on a token, logged in.
    ///
    /// - Parameters:
    ///   - label: The token.
    ///   - arguments: Its arguments.
    /// - Returns: What it printed.
    /// - Throws: ``Failure``.
    @discardableResult
    public func tool(_ label: String, _ arguments: [String]) async throws -> String {
        try await run(
            "pkcs11-tool",
            ["--module", Self.module, "--token-label", label, "--login", "--pin", Self.pin] + arguments
        )
    }

    /// The labels of the private keys in a token.
    ///
    /// - Parameter label: The token.
    /// - Returns: The labels in ascending order.
    /// - Throws: ``Failure``.
    public func keys(in label: String) async throws -> [String] {
        try await tool(label, ["--list-objects", "--type", "privkey"]).split(separator: "\n")
            .map { $0.trimmingPrefix { $0 == " " } }.filter { $0.hasPrefix("label:") }
            .map { $0.dropFirst("label:".count).trimmingPrefix { $0 == " " } }.map(String.init).sorted()
    }

    @discardableResult
    private func run(_ program: String, _ arguments: [String]) async throws -> String {
        let child = try ChildProcess(
            "/usr/bin/env",
            [program] + arguments,
            environment: ProcessInfo.processInfo.environment.merging(environment) { $1 },
            directory: directory
        )
        let result = await child.result()
        guard result.status == 0 else {
            let said = "\(result.output)\(result.errors)"
            throw Failure(description: "\(program) failed (scripts/bootstrap test installs it): \(said)")
        }
        return result.output
    }
}
#endif
