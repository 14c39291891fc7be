// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Glibc
import HTTPMessage
import HTTPServer
import Synchronization
import TestSupport
import Testing

@Suite("HTTP listener: limits")
struct ListenerLimitsTests {
    private func listener(
        _ change: (inout HTTPListenerLimits) -> Void,
        handler: @escaping @Sendable (HTTPRequest) async -> HTTPResponse = { request in
            HTTPResponse(status: 200, body: Array("handled \(request.body.count)".utf8))
        }
    ) throws -> HTTPListener {
        var limits = HTTPListenerLimits()
        change(&limits)
        return try HTTPListener(port: 0, limits: limits, threads: 1, handler: handler)
    }

    @Test func `a body of exactly the limit is read, one byte more is rejected before it is sent`() async throws {
        let listener = try listener { $0.bodySize = 1000 }
        let body = String(repeating: "x", count: 1000)
        let exact = try await converse(
            listener.port,
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\nConnection: close\r\n\r\n" + body
        )
        #expect(exact.hasSuffix("handled 1000"))
        let more = try await converse(listener.port, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1001\r\n\r\n")
        #expect(more.hasPrefix("HTTP/1.1 413 "))
        let waiting = try await converse(
            listener.port,
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1001\r\nExpect: 100-continue\r\n\r\n"
        )
        #expect(waiting.hasPrefix("HTTP/1.1 413 "))
        await listener.stop(draining: .zero)
    }

    @Test(.timeLimit(.minutes(1)), arguments: [(5, 2, 5), (6, 4, 6), (1, 2, 1)])
    func `so many connections are served by all threads together, the others when there is room`(
        limit: Int,
        threads: Int,
        served: Int
    ) async throws {
        let gate = Gate()
        var limits = HTTPListenerLimits()
        limits.connections = limit
        let listener = try HTTPListener(port: 0, limits: limits, threads: threads) { _ in
            await gate.pass()
            return HTTPResponse(status: 200, body: Array("served".utf8))
        }
        let port = listener.port
        async let answers = blocking {
            let connections = try (0..<served + 3).map { _ in
                let connection = try RawConnection(port: port)
                try connection.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                return connection
            }
            return try connections.map { try $0.receiveAll() }
        }
        try await gate.arrival(of: served)
        try await Task.sleep(for: .milliseconds(100))
        #expect(await gate.waitingCount == served)
        await gate.open()
        #expect(try await answers.allSatisfy { $0.hasSuffix("served") })
        await listener.stop(draining: .zero)
    }

    @Test func `a chunked body that grows too large is answered 413 at its end`() async throws {
        let listener = try listener {
            $0.bodySize = 1000
            $0.acceptsChunkedBodies = true
        }
        let chunk = "1f4\r\n" + String(repeating: "x", count: 500) + "\r\n"
        let head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
        #expect(try await converse(listener.port, head + chunk + chunk + "0\r\n\r\n").hasSuffix("handled 1000"))
        let answer = try await converse(listener.port, head + chunk + chunk + "1\r\nx\r\n0\r\n\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 413 "))
        await listener.stop(draining: .zero)
    }

    @Test(arguments: [
        "Transfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n5\nabcde\n0\n\n",
        "Transfer-Encoding: chunked\r\n\r\n5;x=y\r\nabcde\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n5 \r\nabcde\r\n0\r\n\r\n", "Transfer-Encoding: Chunked\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n",
    ])
    func `chunks are rejected before they are read, unless they are allowed`(framing: String) async throws {
        let listener = try listener { _ in }
        let answer = try await converse(listener.port, "POST / HTTP/1.1\r\nHost: a\r\n" + framing)
        #expect(answer.hasPrefix("HTTP/1.1 411 "))
        #expect(answer.contains("Connection: close"))
        let length = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nConnection: close\r\n\r\nabcde"
        #expect(try await converse(listener.port, length).hasSuffix("handled 5"))
        await listener.stop(draining: .zero)
    }

    @Test func `a chunked body without an end is cut off`() async throws {
        let listener = try listener {
            $0.bodySize = 1000
            $0.acceptsChunkedBodies = true
        }
        let sent = try await blocking { [port = listener.port] in
            let connection = try RawConnection(port: port)
            try connection.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
            let chunk = "1000\r\n" + String(repeating: "x", count: 4096) + "\r\n"
            // The system's socket buffers take a few megabytes after the server has stopped reading.
            for number in 0..<20_000 {
                do { try connection.send(chunk) } catch { return number }
            }
            return 20_000
        }
        #expect(sent < 20_000)
        await listener.stop(draining: .zero)
    }

    @Test func `header fields up to the limit are read, more are rejected`() async throws {
        let listener = try listener { $0.headerSize = 16_384 }
        let small = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
        let fits = small + "X: " + String(repeating: "y", count: 16_384 - small.utf8.count - 5) + "\r\n\r\n"
        #expect(try await converse(listener.port, fits).contains("handled"))
        let large = small + "X: " + String(repeating: "y", count: 16_384 - small.utf8.count - 4) + "\r\n\r\n"
        #expect(try await converse(listener.port, large).hasPrefix("HTTP/1.1 431 "))
        let huge = small + "X: " + String(repeating: "y", count: 100_000) + "\r\n\r\n"
        #expect(!(try await converse(listener.port, huge).contains("handled")))
        let many = small + String(repeating: "X: y\r\n", count: 2000) + "\r\n"
        #expect(try await converse(listener.port, many).hasPrefix("HTTP/1.1 431 "))
        let target = "GET /" + String(repeating: "y", count: 40_000) + " HTTP/1.1\r\nHost: a\r\n\r\n"
        #expect(!(try await converse(listener.port, target).contains("handled")))
        await listener.stop(draining: .zero)
    }

    /// The request and the head of its response share memory: what does not fit was closed in silence.
    @Test(arguments: [
        ("", 38_000), ("X: \(String(repeating: "y", count: 16_000))\r\n", 22_000),
        (String(repeating: "X: y\r\n", count: 100), 31_000),
        ("Cookie: \((0..<100).map { "c\($0)=\($0)" }.joined(separator: "; "))\r\n", 30_000),
    ])
    func `a response whose fields are too large is replaced by 500, and never dropped`(
        fields: String,
        size: Int
    ) async throws {
        let listener = try listener { _ in
        } handler: { request in
            let count = Int(request.target.dropFirst()) ?? 0
            return HTTPResponse(status: 200, fields: ["X": String(repeating: "x", count: count)])
        }
        var statuses: [Substring] = []
        for count in [4000] + Array(stride(from: size, through: size + 4000, by: 200)) + [100_000] {
            let request = "GET /\(count) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\(fields)\r\n"
            statuses.append(try await converse(listener.port, request).prefix(13))
        }
        #expect(statuses.first == "HTTP/1.1 200 " && statuses.last == "HTTP/1.1 500 ")
        #expect(Set(statuses).count == 2, "\(statuses)")
        await listener.stop(draining: .zero)
    }

    @Test func `thousands of query parameters and hundreds of cookies are read`() async throws {
        let listener = try listener { _ in }
        let query = (0..<8000).map { _ in "a=" }.joined(separator: "&")
        let long = try await converse(listener.port, "GET /?\(query) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(long.contains("handled"))
        let cookies = (0..<100).map { "c\($0)=\($0)" }.joined(separator: "; ")
        let several = try await converse(
            listener.port,
            "GET / HTTP/1.1\r\nHost: a\r\nCookie: \(cookies)\r\nConnection: close\r\n\r\n"
        )
        #expect(several.contains("handled"))
        await listener.stop(draining: .zero)
    }

    /// The library keeps a record of each cookie, field and query parameter, which may fill its memory.
    @Test(arguments: [
        "Cookie: \(String(repeating: "a;", count: 15_000))\r\n", String(repeating: "a:\r\n", count: 8000),
    ])
    func `more records than there is memory for are rejected`(fields: String) async throws {
        let listener = try listener { _ in }
        for _ in 0..<50 {
            let answer = try await converse(listener.port, "GET / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n")
            #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 431 "))
        }
        let after = try await converse(listener.port, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(after.contains("handled"))
        await listener.stop(draining: .zero)
    }

    @Test(.timeLimit(.minutes(1)))
    func `a connection beyond the limit waits until another closes`() async throws {
        let gate = Gate()
        let listener = try listener {
            $0.connections = 2
        } handler: { request in
            if request.target == "/wait" { await gate.pass() }
            return HTTPResponse(status: 200, body: Array("handled".utf8))
        }
        let working = try (0..<2).map { _ in
            let connection = try RawConnection(port: listener.port)
            try connection.send("GET /wait HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            return connection
        }
        try await gate.arrival(of: 2)
        let third = try RawConnection(port: listener.port)
        try third.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        await gate.open()
        #expect(try await blocking { try third.receive()?.text } == "handled")
        withExtendedLifetime(working) {}
        await listener.stop(draining: .zero)
    }

    @Test(.timeLimit(.minutes(1)))
    func `a connection beyond the limit takes the place of one that only waits for another request`() async throws {
        let listener = try listener { $0.connections = 2 }
        let (rest, answer) = try await blocking { [port = listener.port] in
            let kept = try (0..<2).map { _ in
                let connection = try RawConnection(port: port)
                try connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                _ = try connection.receive()
                return connection
            }
            let third = try RawConnection(port: port)
            try third.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            let answer = try third.receive()?.text
            for connection in kept { try connection.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n") }
            return (try kept.map { try $0.receiveAll().hasSuffix("handled 0") }, answer)
        }
        #expect(answer == "handled 0")
        #expect(rest.count { $0 } == 1)
        #expect(listener.cutConnections(.full) == 1)
        await listener.stop(draining: .zero)
    }

    @Test(.timeLimit(.minutes(1)))
    func `a handler that is late is cancelled and the client gets 503`() async throws {
        let wasCancelled = Atomic<Bool>(false)
        let listener = try listener {
            $0.requestDeadline = .milliseconds(100)
        } handler: { request in
            if request.target == "/quick" { return HTTPResponse(status: 200) }
            try? await Task.sleep(for: .seconds(600))
            wasCancelled.store(Task.isCancelled, ordering: .releasing)
            return HTTPResponse(status: 200)
        }
        let statuses = try await blocking { [port = listener.port] in
            let connection = try RawConnection(port: port)
            try connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            let late = try connection.receive()
            let other = try RawConnection(port: port)
            try other.send("GET /quick HTTP/1.1\r\nHost: a\r\n\r\n")
            return [late?.status, try other.receive()?.status]
        }
        #expect(statuses == [503, 200])
        // The late handler's own answer, which comes now, is dropped.
        while !wasCancelled.load(ordering: .acquiring) { try await Task.sleep(for: .milliseconds(5)) }
        await listener.stop(draining: .zero)
    }
}
#endif
