// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation

/// A software TPM 2.0 (swtpm), with its own state and without a resource manager: it has memory for three keys.
public final class SoftwareTPM: Sendable {
    /// A TPM did not start, or a tool failed that must succeed.
    public struct Failure: Error, CustomStringConvertible {
        /// What happened.
        public let description: String
    }

    private let process: ChildProcess
    private let directory: String

    /// Starts a TPM.
    ///
    /// - Parameter directory: The directory of its state and its socket; an existing state is used, otherwise a new one
    ///   is made.
    /// - Throws: ``Failure`` if it does not respond within five minutes.
    public init(directory: String) async throws {
        self.directory = directory
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        for name in ["socket", "socket.ctrl"] { try? FileManager.default.removeItem(atPath: "\(directory)/\(name)") }
        process = try ChildProcess(
            "swtpm",
            [
                "socket", "--tpm2", "--tpmstate", "dir=\(directory)", "--server",
                "type=unixio,path=\(directory)/socket",
                "--ctrl", "type=unixio,path=\(directory)/socket.ctrl", "--flags", "not-need-init,startup-clear",
            ],
            environment: ["PATH": "/usr/bin:/bin"],
            directory: directory
        )
        var errors = ""
        for _ in 0..<15_000 {
            if FileManager.default.fileExists(atPath: "\(directory)/socket.ctrl") {
                let result = try await run("tpm2_getrandom 4")
                if result.status == 0 { return }
                errors = result.errors
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        process.kill()
        throw Failure(
            description: "no TPM in software: are the Debian packages swtpm and tpm2-tools installed? "
                + "\(process.errorsSoFar) \(errors)"
        )
    }

    deinit {
        process.kill()
    }

    /// The TCTI loader's configuration of the connection.
    public var tcti: String { "swtpm:path=\(directory)/socket" }

    /// Stops it immediately; its state stays.
    public func stop() async {
        process.kill()
        _ = await process.result()
    }

    /// Runs a program of tpm2-tools, in the directory of the TPM.
    ///
    /// - Parameter command: Its name and its arguments, separated by single spaces.
    /// - Returns: The outcome.
    /// - Throws: `ChildProcess.CannotStart`.
    public func run(_ command: String) async throws -> ChildProcess.Result {
        let words = command.split(separator: " ").map(String.init)
        return try await ChildProcess(
            words[0],
            Array(words.dropFirst()),
            environment: ["PATH": "/usr/bin:/bin", "TPM2TOOLS_TCTI": tcti],
            directory: directory
        )
        .result()
    }

    /// Runs a program of tpm2-tools that must succeed.
    ///
    /// - Parameter command: Its name and its arguments, separated by single spaces.
    /// - Returns: What it printed.
    /// - Throws: ``Failure``, `ChildProcess.CannotStart`.
    @discardableResult
    public func expect(_ command: String) async throws -> String {
        let result = try await run(command)
        guard result.status == 0 else {
            throw Failure(description: "\(command): status \(result.status): \(result.errors)")
        }
        return result.output
    }
}
#endif
