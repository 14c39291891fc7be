// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import TestSupport

/// In place of a gateway, a program that takes every question at its socket and answers none.
final class SilentGateway: Sendable {
    private let process: ChildProcess

    init(in directory: TemporaryDirectory) async throws {
        process = try ChildProcess(
            "/usr/bin/env",
            ["python3", "-I", "-u", "-c", Self.program],
            environment: ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin", "LC_ALL": "C.UTF-8"],
            directory: directory.path
        )
        while !process.outputSoFar.contains("ready"), !process.isSilent { try await Task.sleep(for: .milliseconds(5)) }
    }

    /// How many questions came.
    var questions: Int { process.outputSoFar.split(separator: "\n").count { $0 == "question" } }

    func stop() async {
        // A child inherits which signals are blocked, and Python lets SIGTERM stay so.
        process.kill()
        _ = await process.result()
    }

    private static let program = #"""
        import os, socket, threading

        def serve(connection):
            if connection.recv(65536):
                print("question")
            connection.recv(1)

        listener = socket.socket(socket.AF_UNIX)
        listener.bind("gateway.sock")
        os.chmod("gateway.sock", 0o666)
        listener.listen(64)
        print("ready")
        while True:
            accepted, _ = listener.accept()
            threading.Thread(target=serve, args=(accepted,), daemon=True).start()
        """#
}
#endif
