// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import Glibc
import HTTPMessage
import HTTPServer
import OAuthCore
import TestSupport
import Testing

@testable import OAuthTransport

/// A name server that takes questions and never answers, for the process that has its own `/etc/resolv.conf`.
private final class SilentNameServer {
    private let descriptor: CInt

    /// Fails if the address is in use, or the process may not use port 53.
    init(address: String) throws {
        descriptor = socket(AF_INET, CInt(SOCK_DGRAM.rawValue), 0)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = in_port_t(53).bigEndian
        name.sin_addr.s_addr = unsafe inet_addr(address)
        let result = unsafe withUnsafePointer(to: &name) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(result == 0, "port 53 of \(address): \(errno)")
    }

    /// Whether a question has come.
    var wasAsked: Bool {
        var byte: UInt8 = 0
        return unsafe recv(descriptor, &byte, 1, CInt(MSG_DONTWAIT) | CInt(MSG_PEEK)) >= 0
    }

    deinit { close(descriptor) }
}

@Suite("A name server that does not answer", .timeLimit(.minutes(2)))
struct SilentResolverTests {
    private static let variable = "KEYBOUND_TEST_SILENT_RESOLVER"
    private static let address = ProcessInfo.processInfo.environment[variable]

    /// The file of the system cannot be changed for one test: a process with mounts of its own runs the other test.
    @Test(.enabled(if: geteuid() == 0, "only the superuser may mount"))
    func `holds up only the requests that need it`() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        // Other test runs on the machine have addresses of their own.
        let address = "127.53.\(Int.random(in: 1...254)).\(Int.random(in: 1...254))"
        try Data("nameserver \(address)\n".utf8).write(to: directory.appending(path: "resolv.conf"))
        var environment = ProcessInfo.processInfo.environment
        environment[Self.variable] = address
        let child = try ChildProcess(
            "/usr/bin/unshare",
            [
                "--mount", "/bin/sh", "-c", #"mount --bind resolv.conf /etc/resolv.conf && exec "$0" "$@""#,
                try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"),
                "--testing-library", "swift-testing", "--filter", "inTheOtherProcess",
            ],
            environment: environment,
            directory: directory.path()
        )
        let result = await child.result()
        #expect(result.status == 0, "\(result.output.suffix(2000)) \(result.errors.suffix(500))")
        #expect(result.output.contains("SilentResolver: asked"), "\(result.output.suffix(2000))")
    }

    @Test(.enabled(if: address != nil, "runs in a process of its own"))
    func inTheOtherProcess() async throws {
        let nameServer = try SilentNameServer(address: try #require(Self.address))
        let listener = try HTTPListener(port: 0, threads: 1) { _ in HTTPResponse(status: 200, body: Array("ok".utf8)) }
        let transport = CurlTransport()
        let near = HTTPRequest(method: "GET", target: "http://127.0.0.1:\(listener.port)/")
        let far = HTTPRequest(method: "GET", target: "http://nobody-knows.example/")
        _ = try await transport.send(near, maximumBodySize: 100)
        for cancels in [false, true] {
            let hanging = Task { try await transport.send(far, maximumBodySize: 100) }
            while !nameServer.wasAsked { try await Task.sleep(for: .milliseconds(5)) }
            if cancels { hanging.cancel() }
            let start = ContinuousClock.now
            let response = try await transport.send(near, maximumBodySize: 100)
            #expect(response.status == 200)
            // The resolver gives up after ten seconds.
            #expect(ContinuousClock.now - start < .seconds(6), "cancelled: \(cancels)")
            if !cancels { continue }
            await #expect(throws: OAuthCoreError.self) { try await hanging.value }
            #expect(ContinuousClock.now - start < .seconds(6))
        }
        print("SilentResolver: asked")
        await listener.stop(draining: .zero)
    }
}
#endif
