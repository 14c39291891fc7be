// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

/// A server of Examples, as it was built beside the tests: `mcp-notes` or `notes-api`.
struct ExampleServer {
    let url: String
    private let child: ChildProcess

    init(
        _ name: String = "mcp-notes",
        issuer: String,
        port: UInt16,
        options: [String] = [],
        in directory: TemporaryDirectory
    ) async throws {
        child = try ChildProcess(
            KeyboundProcess.executable.deletingLastPathComponent().appendingPathComponent(name).path,
            [issuer, "\(port)"] + options,
            environment: ["PATH": "/usr/bin:/bin"],
            directory: directory.path
        )
        url = "http://127.0.0.1:\(port)/mcp"
        for _ in 0..<3000 {
            if (try? RawConnection(port: port, timeout: 5)) != nil { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw ServerIsSilent()
    }

    func stop() async {
        child.kill()
        _ = await child.result()
    }

    private struct ServerIsSilent: Error {}
}
