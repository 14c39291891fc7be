// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPMessage
import HTTPServer
import TestSupport
import Testing

@Suite("keybound demo, cut short")
struct DemoTests {
    private let directory: TemporaryDirectory
    private let temporary: URL

    init() throws {
        directory = try TemporaryDirectory()
        temporary = directory.url.appendingPathComponent("tmp")
        try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: false)
    }

    private func demo(_ arguments: String...) throws -> KeyboundProcess {
        // A browser that opens nothing: the demo waits for the person.
        try KeyboundProcess(
            ["demo"] + arguments,
            in: directory,
            environment: ["TMPDIR": temporary.path, "BROWSER": "/bin/true"]
        )
    }

    private var leftovers: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: temporary.path) }
    }

    @Test func `a signal ends it, and nothing of it stays`() async throws {
        let process = try demo("--browser")
        _ = try await process.line(beginningWith: "2  Sign in")
        #expect(try leftovers.count == 1)
        process.terminate()
        let result = await process.result()
        #expect(result.status == 130)
        #expect(result.errors == "keybound: interrupted\n")
        #expect(try leftovers.isEmpty)
    }

    @Test func `with its port taken it says so, and nothing of it stays`() async throws {
        let other = try HTTPListener(port: 0) { _ in HTTPResponse(status: 404) }
        let result = await (try demo("--port", String(other.port))).result()
        await other.stop(draining: .zero)
        #expect(result.status == 3)
        #expect(result.errors.contains("another program uses the port"))
        #expect(try leftovers.isEmpty)
    }
}
