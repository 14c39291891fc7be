// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPMessage
import OAuthCore
import OAuthTransport
import SocketSupport
import Synchronization
import Testing

@Suite("Requests of an app as values, over real sockets", .timeLimit(.minutes(2)))
struct OpenedRequestTests {
    private static let ok = TinyServer.Answer.http(200, ["Content-Length: 2", "X-A: 1"], "ok")

    private struct Broken: Error {}

    /// A transport that implements only the required members.
    private final class MinimalTransport: ClientTransport {
        private let log = Mutex<[HTTPRequest]>([])

        var requests: [HTTPRequest] { log.withLock { $0 } }

        func send(_ request: HTTPRequest, maximumBodySize: Int) async throws(OAuthCoreError) -> HTTPResponse {
            log.withLock { $0.append(request) }
            return HTTPResponse(status: 201, fields: ["X-Limit": "\(maximumBodySize)"], body: request.body)
        }
    }

    private func withFile(_ content: Data, _ body: (String) async throws -> Void) async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try content.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try await body(file.path)
    }

    private func open(
        _ kind: TestedTransport,
        _ request: HTTPRequest,
        _ body: RequestBody = .inMemory,
        timeout: Duration? = nil
    ) async throws -> StreamedResponse {
        try await kind.make().open(request, body: body, timeout: timeout)
    }

    @Test(arguments: TestedTransport.allCases)
    func `sends method, fields and body, and brings back status, fields and body`(_ kind: TestedTransport) async throws
    {
        let server = try TinyServer(["/a": Self.ok])
        let request = HTTPRequest(
            method: "PATCH",
            target: server.base + "/a?b=%2F",
            fields: ["X-B": "2"],
            body: Array("body".utf8)
        )
        let response = try await open(kind, request)
        #expect(response.status == 200)
        #expect(response.fields["x-a"] == "1")
        #expect(try await response.body.whole() == Array("ok".utf8))
        let sent = try #require(server.requests.first)
        #expect(sent.hasPrefix("PATCH /a?b=%2F HTTP/1.1\r\n"))
        #expect(sent.lowercased().contains("\r\nx-b: 2\r\n"))
        #expect(sent.hasSuffix("\r\n\r\nbody"))
    }

    @Test(arguments: TestedTransport.allCases)
    func `head and pieces are there before the end of the body, and cancelling ends the wait`(
        _ kind: TestedTransport
    ) async throws {
        let server = try TinyServer(["/a": .head("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab")])
        let response = try await open(kind, HTTPRequest(target: server.base + "/a"))
        #expect(response.status == 200)
        let received = Mutex<[UInt8]>([])
        let task = Task {
            await transportError { for try await byte in response.body { received.withLock { $0.append(byte) } } }
        }
        while received.withLock(\.count) < 2 { try await Task.sleep(for: .milliseconds(5)) }
        task.cancel()
        #expect(await task.value?.code == .cancelled)
        #expect(received.withLock { $0 } == Array("ab".utf8))
    }

    @Test(arguments: TestedTransport.allCases)
    func `cancelling the task ends the request`(_ kind: TestedTransport) async throws {
        let server = try TinyServer(["/a": .silence])
        let request = HTTPRequest(target: server.base + "/a")
        let task = Task { await transportError { _ = try await open(kind, request) } }
        while server.requests.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        task.cancel()
        #expect(await task.value?.code == .cancelled)
    }

    @Test(arguments: TestedTransport.allCases)
    func `the time-out of a request counts, not the longer one of its transport`(_ kind: TestedTransport) async throws {
        let server = try TinyServer(["/a": .silence])
        let started = ContinuousClock.now
        let error = await transportError {
            _ = try await open(kind, HTTPRequest(target: server.base + "/a"), timeout: .milliseconds(400))
        }
        #expect(error?.code == .transportFailed)
        #expect(error?.reason.contains("in time") == true)
        // That of the transport is five minutes.
        #expect(ContinuousClock.now - started < .seconds(60))
    }

    @Test(arguments: TestedTransport.allCases)
    func `a time-out that nobody lives to see is no error`(_ kind: TestedTransport) async throws {
        let server = try TinyServer(["/a": Self.ok])
        let response = try await open(kind, HTTPRequest(target: server.base + "/a"), timeout: .seconds(1_000_000_000))
        #expect(response.status == 200)
    }

    @Test(arguments: TestedTransport.allCases)
    func `a file is sent by its path, with its length`(_ kind: TestedTransport) async throws {
        let server = try TinyServer(["/a": Self.ok])
        let content = Data(String(repeating: "0123456789", count: 20_000).utf8)
        try await withFile(content) { path in
            let request = HTTPRequest(method: "PUT", target: server.base + "/a")
            let response = try await open(kind, request, .file(path: path))
            #expect(response.status == 200)
        }
        let sent = try #require(server.requests.first)
        #expect(sent.lowercased().contains("\r\ncontent-length: 200000\r\n"))
        #expect(sent.hasSuffix("\r\n\r\n" + String(decoding: content, as: UTF8.self)))
    }

    @Test(arguments: TestedTransport.allCases, ["/nowhere/at/all", "/tmp", "/dev/null"])
    func `what is no regular file is an error, and nothing is sent`(
        _ kind: TestedTransport,
        _ path: String
    ) async throws {
        let server = try TinyServer(["/a": Self.ok])
        let error = await transportError {
            _ = try await open(kind, HTTPRequest(method: "PUT", target: server.base + "/a"), .file(path: path))
        }
        #expect(error?.code == .invalidRequest)
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: TestedTransport.allCases)
    func `a stream of unknown length is sent to its end`(_ kind: TestedTransport) async throws {
        let server = try TinyServer(["/a": Self.ok])
        let request = HTTPRequest(method: "POST", target: server.base + "/a")
        let long = String(repeating: "x", count: 150_000)
        #expect(try await open(kind, request, .stream(.pieces("a", "", long, "z"), length: nil)).status == 200)
        let sent = try #require(server.requests.first)
        #expect(sent.count { $0 == "x" } >= 150_000)
        // URLSession on Linux has it in memory, and so it knows the length.
        let isChunked = sent.lowercased().contains("transfer-encoding: chunked")
        #expect(isChunked != sent.lowercased().contains("content-length: 150002"))
        #expect(isChunked ? sent.contains("z\r\n0\r\n") : sent.hasSuffix("z"))
    }

    @Test(arguments: TestedTransport.allCases)
    func `a stream that breaks off is an error, and never a whole request`(_ kind: TestedTransport) async throws {
        let server = try TinyServer(["/a": Self.ok])
        let isFirst = Atomic(true)
        let stream = RequestBodyStream {
            guard isFirst.exchange(false, ordering: .relaxed) else { throw Broken() }
            return Array("half".utf8)
        }
        let error = await transportError {
            let request = HTTPRequest(method: "POST", target: server.base + "/a")
            _ = try await open(kind, request, .stream(stream, length: nil))
        }
        #expect(error?.code == .transportFailed)
        #expect(error?.reason.contains("body of the request") == true)
        #expect(server.requests.isEmpty)
    }

    @Test func `a transport that only sends has the rest, with bodies in memory`() async throws {
        let transport = MinimalTransport()
        #expect(!transport.presentsClientCertificate)
        #expect(transport.maximumResponseSize == 64 << 20)
        let request = HTTPRequest(method: "PUT", target: "https://api.example/", body: [1, 2])
        let response = try await transport.open(request, body: .inMemory, timeout: .seconds(1))
        #expect(response.status == 201)
        #expect(response.fields["X-Limit"] == "\(64 << 20)")
        #expect(try await response.body.whole() == [1, 2])
        try await withFile(Data([3, 4, 5])) { path in
            let response = try await transport.open(request, body: .file(path: path), timeout: nil)
            #expect(try await response.body.whole() == [3, 4, 5])
        }
        for body in [RequestBody.file(path: "/nowhere"), .stream(.pieces("a"), length: 1)] {
            let error = await transportError { _ = try await transport.open(request, body: body, timeout: nil) }
            #expect(error?.code == .invalidRequest)
        }
        #expect(transport.requests.map(\.body) == [[1, 2], [3, 4, 5]])
    }
}
