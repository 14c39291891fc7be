// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import HTTPMessage
import HTTPServer
import StrictJSON
import TestSupport
import Testing

@testable import KeyboundCommand

/// A server under a service manager: the real socket activation of systemd, and a socket that collects states.
@Suite("A server under a service manager")
struct ServiceManagerTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func configure(listen: String) throws {
        try directory.write(
            """
            { "issuer": "http://127.0.0.1:8080", "listen": "\(listen)", "allowInsecureLoopbackIssuer": true,
              "unencryptedKeyFile": true, "dataDirectory": "\(directory.path)/data", "trustedProxies": ["127.0.0.0/8"] }
            """,
            to: "keybound.json"
        )
    }

    /// Collects datagrams on a socket in the file system, as systemd does, and prints each on a line.
    private static let collector = """
        import socket, sys
        s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        s.bind(sys.argv[1])
        print("bound", flush=True)
        while True:
            print(s.recv(1024).decode(), flush=True)
        """

    private func until(_ condition: () -> Bool) async throws {
        for _ in 0..<1500 where !condition() { try await Task.sleep(for: .milliseconds(20)) }
        #expect(condition())
    }

    @Test func `it says when it is ready, that it lives, and that it stops`() async throws {
        try configure(listen: "127.0.0.1:0")
        let collector = try ChildProcess(
            "/usr/bin/env",
            ["python3", "-I", "-u", "-c", Self.collector, directory.path + "/notify"],
            environment: ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"],
            directory: directory.path,
            input: ""
        )
        try await until { collector.outputSoFar.contains("bound") }
        let server = try KeyboundProcess(
            ["serve", "--config", "keybound.json"],
            in: directory,
            environment: ["NOTIFY_SOCKET": directory.path + "/notify", "WATCHDOG_USEC": "100000"]
        )
        try await until { collector.outputSoFar.contains("READY=1") }
        try await until { collector.outputSoFar.components(separatedBy: "WATCHDOG=1").count > 3 }
        #expect(!collector.outputSoFar.contains("STOPPING=1"))
        server.terminate()
        _ = await server.result()
        try await until { collector.outputSoFar.contains("STOPPING=1") }
        collector.kill()
        _ = await collector.result()
    }

    @Test func `a watchdog for another process, or without a time, is not answered`() {
        func interval(_ time: String?, _ process: String?) -> Duration? {
            ServiceManager(socket: nil, watchdog: time, watchdogProcess: process).watchdogInterval
        }
        #expect(interval("100000", nil) == .milliseconds(50))
        #expect(interval("100000", "\(ProcessFacts.identifier())") == .milliseconds(50))
        #expect(interval("100000", "1") == nil)
        for time in [nil, "", "0", "-1", "x"] { #expect(interval(time, nil) == nil) }
    }

    @Test func `a manager that is gone changes nothing`() async throws {
        try configure(listen: "127.0.0.1:0")
        let server = try KeyboundProcess(
            ["serve", "--config", "keybound.json"],
            in: directory,
            environment: ["NOTIFY_SOCKET": directory.path + "/nobody", "WATCHDOG_USEC": "100000"]
        )
        _ = try await server.line(beginningWith: "listening")
        server.terminate()
        #expect(await server.result().status == 0)
    }

    @Test(arguments: [false, true])
    func `systemd's socket activation passes the socket on`(isInFileSystem: Bool) async throws {
        try configure(listen: "systemd")
        let port = FreePort.next()
        let socket = isInFileSystem ? directory.path + "/server.sock" : "127.0.0.1:\(port)"
        let server = try ChildProcess(
            "/usr/bin/env",
            [
                "systemd-socket-activate", "--listen=\(socket)", KeyboundProcess.executable.path, "serve", "--config",
                "keybound.json",
            ],
            environment: ["PATH": "/usr/bin:/bin", "HOME": directory.path],
            directory: directory.path,
            input: ""
        )
        // The first connection starts the server.
        let address =
            isInFileSystem ? ["--unix-socket", socket, "http://localhost/health"] : ["http://\(socket)/health"]
        let question = try ChildProcess(
            "/usr/bin/env",
            ["curl", "--silent", "--show-error", "--retry", "20", "--retry-connrefused", "--retry-delay", "1"]
                + ["--retry-all-errors", "--max-time", "60"] + address,
            environment: ["PATH": "/usr/bin:/bin"],
            directory: directory.path,
            input: ""
        )
        let answer = await question.result()
        #expect(answer.output == "ok\n", Comment(rawValue: answer.errors + server.errorsSoFar))
        // What has not become the server yet may take no notice of SIGTERM.
        if answer.output == "ok\n" { server.terminate() } else { server.kill() }
        _ = await server.result()
    }

    @Test func `without systemd's socket it does not start, and says how`() async throws {
        try configure(listen: "systemd")
        let result = try await KeyboundProcess.run(["serve", "--config", "keybound.json"], in: directory)
        #expect(result.status == 2)
        #expect(result.errors.contains("systemd passed on no socket"))
        let check = try await KeyboundProcess.run(["serve", "--config", "keybound.json", "--check"], in: directory)
        #expect(check.status == 0, Comment(rawValue: check.errors))
    }

    @Test func `a server that is not ready is not healthy, and says why`() async throws {
        let server = try HTTPListener(port: 0) { request in
            HTTPResponse(status: request.path == "/ready" ? 503 : 200, body: Array("the server is stopping\n".utf8))
        }
        let result = try await KeyboundProcess.run(["health", "http://127.0.0.1:\(server.port)"], in: directory)
        await server.stop(draining: .zero)
        #expect(result.status == 3)
        #expect(result.errors == "keybound: not ready: 503 the server is stopping\n")
        #expect(try await KeyboundProcess.run(["health", "nowhere"], in: directory).status == 2)
    }

    @Test(arguments: [true, false])
    func `health finds a server by its configuration, on a socket in the file system too`(
        isInFileSystem: Bool
    )
        async throws
    {
        let address = isInFileSystem ? "unix:\(directory.path)/server.sock" : "127.0.0.1:\(FreePort.next())"
        try configure(listen: address)
        let server = try KeyboundProcess(["serve", "--config", "keybound.json"], in: directory)
        _ = try await server.line(beginningWith: "listening")
        let healthy = try await KeyboundProcess.run(["health", "--config", "keybound.json"], in: directory)
        #expect(healthy.output == "ready\n", Comment(rawValue: healthy.errors))
        // Standard input is read once.
        let piped = try await KeyboundProcess.run(
            ["health", "--config", "-"],
            input: directory.text(of: "keybound.json"),
            in: directory
        )
        #expect(piped.output == "ready\n", Comment(rawValue: piped.errors))
        let url = isInFileSystem ? address : "http://\(address)"
        #expect(try await KeyboundProcess.run(["health", url], in: directory).status == 0)
        let both = try await KeyboundProcess.run(["health", url, "--config", "keybound.json"], in: directory)
        #expect(both.status == 2)
        server.terminate()
        _ = await server.result()
        let gone = try await KeyboundProcess.run(["health", "--config", "keybound.json"], in: directory)
        #expect(gone.status == 3 && gone.errors.contains(url), Comment(rawValue: gone.errors))
    }

    @Test func `where health asks`() throws {
        #expect(try HealthTarget("http://127.0.0.1:8080/x").origin == "http://127.0.0.1:8080")
        let socket = try HealthTarget("unix:/run/server.sock")
        #expect(socket.socket == "/run/server.sock" && socket.origin == "http://localhost")
        #expect(throws: CommandFailure.self) { try HealthTarget("unix:server.sock") }
        #expect(throws: CommandFailure.self) { try HealthTarget("nowhere") }
        func target(_ settings: String) throws -> HealthTarget {
            try directory.write(settings, to: "settings.json")
            var arguments = ParsedArguments(Serve.syntax)
            arguments.add(ServerSettings.configuration, directory.path + "/settings.json")
            return try HealthTarget(ServerSettings(arguments, optionsFor: []))
        }
        #expect(try target(#"{ "listen": "0.0.0.0:81" }"#).origin == "http://127.0.0.1:81")
        #expect(try target(#"{ "listen": "[::]:81" }"#).origin == "http://[::1]:81")
        #expect(try target("{}").origin == "http://127.0.0.1:8080")
        let metrics = try target(#"{ "listen": "systemd", "metricsListen": "127.0.0.1:9090" }"#)
        #expect(metrics.origin == "http://127.0.0.1:9090")
        #expect(throws: CommandFailure.self) { try target(#"{ "listen": "systemd" }"#) }
        #expect(throws: CommandFailure.self) { try target(#"{ "listen": "127.0.0.1:0" }"#) }
        let gateway = try HealthTarget(gateway: ["metricsListen": "127.0.0.1:9091"], file: "gateway.json")
        #expect(gateway.origin == "http://127.0.0.1:9091")
        #expect(throws: CommandFailure.self) { try HealthTarget(gateway: [:], file: "gateway.json") }
    }

    @Test func `health follows a server on a socket of the network`() async throws {
        try configure(listen: "127.0.0.1:0")
        let server = try KeyboundProcess(["serve", "--config", "keybound.json"], in: directory)
        let line = try await server.line(beginningWith: "listening")
        let address = String(line.split(separator: " ")[1])
        let healthy = try await KeyboundProcess.run(["health", address], in: directory)
        #expect(healthy.status == 0)
        #expect(healthy.output == "ready\n")
        server.terminate()
        _ = await server.result()
        let gone = try await KeyboundProcess.run(["health", address], in: directory)
        #expect(gone.status == 3)
    }
}
#endif
