// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("Examples: a command-line tool, and the API that it calls")
struct ExampleTests {
    private let directory: TemporaryDirectory
    private let tool: SignInTool

    init() throws {
        directory = try TemporaryDirectory()
        tool = try SignInTool(in: directory)
    }

    private func start(_ arguments: [String], _ environment: [String: String] = [:]) throws -> ChildProcess {
        try ChildProcess(
            KeyboundProcess.executable.deletingLastPathComponent().appendingPathComponent("notes-cli").path,
            arguments,
            environment: environment.merging(["PATH": "/usr/bin:/bin", "HOME": directory.path]) { $1 },
            directory: directory.path
        )
    }

    @Test func `signs in once, calls, stays signed in, and signs out`() async throws {
        let port = FreePort.next()
        let url = "http://127.0.0.1:\(port)"
        try directory.write(#"{"resources": {"\#(url)": {"scopes": ["notes:read"]}}}"#, to: "apis.json")
        let server = try await ServedIssuer(
            in: directory,
            options: ["--unencrypted-key-file", "--config", "apis.json"]
        )
        try await tool.register()
        let api = try await ExampleServer("notes-api", issuer: server.issuer, port: port, in: directory)

        let first = try start([server.issuer, url, "notes"], tool.prepareBrowser())
        try await tool.walkPages(of: first)
        let called = await first.result()
        #expect(called.status == 0 && called.output.hasPrefix("200 notes of "), "\(called.output) \(called.errors)")
        // No browser this time.
        let again = await (try start([server.issuer, url, "notes"])).result()
        #expect(again.output == called.output, "\(again.output) \(again.errors)")
        let out = await (try start([server.issuer, "logout", "notes"])).result()
        #expect(out.status == 0 && out.output == "signed out\n", "\(out.output) \(out.errors)")
        // Without a browser, and signed out: what happened, and what to do.
        let failed = await (try start([server.issuer, url, "notes"])).result()
        #expect(failed.status == 1 && failed.output.count > 20, "\(failed.output) \(failed.errors)")

        await api.stop()
        _ = await server.stop()
    }
}
