// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Glibc
import HTTPMessage
import HTTPServer
import TestSupport
import Testing

@Suite("HTTP listener: deadlines")
struct ListenerDeadlineTests {
    /// A listener without deadlines, but for those that a test sets, which looks for late clients every 20 ms.
    private func listener(
        _ change: (inout HTTPListenerLimits) -> Void = { _ in },
        handler: @escaping @Sendable (HTTPRequest) async -> HTTPResponse = { _ in HTTPResponse(status: 200) }
    ) throws -> HTTPListener {
        var limits = HTTPListenerLimits()
        limits.headTimeout = .seconds(600)
        limits.bodyTimeout = .seconds(600)
        limits.trustedKeepAliveTimeout = .seconds(600)
        limits.answerTimeout = .seconds(600)
        // Not for the loopback address, but it decides how often the listener looks.
        limits.keepAliveTimeout = .milliseconds(160)
        change(&limits)
        return try HTTPListener(port: 0, limits: limits, threads: 1, handler: handler)
    }

    @Test(.timeLimit(.minutes(1)), arguments: ["", "GET / HTT", "GET / HTTP/1.1\r\nHost: a\r\n"])
    func `a head that is not complete in time is cut`(start: String) async throws {
        let listener = try listener { $0.headTimeout = .milliseconds(300) }
        #expect(try await converse(listener.port, start).isEmpty)
        #expect(listener.cutConnections(.head) == 1)
        await listener.stop(draining: .zero)
    }

    @Test(.timeLimit(.minutes(1)))
    func `a head that trickles is cut all the same`() async throws {
        let listener = try listener { $0.headTimeout = .milliseconds(300) }
        let sent = try await blocking { [port = listener.port] in
            let connection = try RawConnection(port: port)
            for number in 0..<500 {
                do { try connection.send("G") } catch { return number }
                usleep(20_000)
            }
            return 500
        }
        #expect(sent < 500)
        await listener.stop(draining: .zero)
    }

    @Test(.timeLimit(.minutes(1)))
    func `a body that is not complete in time is cut`() async throws {
        let listener = try listener { $0.bodyTimeout = .milliseconds(300) }
        let start = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nabc"
        #expect(try await converse(listener.port, start).isEmpty)
        #expect(listener.cutConnections(.body) == 1)
        await listener.stop(draining: .zero)
    }

    @Test(.timeLimit(.minutes(1)))
    func `a client that does not read its response is cut`() async throws {
        // More than the buffers of the system take.
        let listener = try listener {
            $0.answerTimeout = .milliseconds(300)
        } handler: { _ in
            HTTPResponse(status: 200, body: [UInt8](repeating: 0, count: 64 << 20))
        }
        let connection = try RawConnection(port: listener.port)
        try connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        while listener.cutConnections(.answer) == 0 { try await Task.sleep(for: .milliseconds(5)) }
        connection.close()
        await listener.stop(draining: .zero)
    }

    @Test(.timeLimit(.minutes(1)), arguments: ["", "G", "GET / HTTP/1.1\r\n"])
    func `a kept connection is closed in time, whatever trickles`(start: String) async throws {
        let listener = try listener { $0.trustedKeepAliveTimeout = .milliseconds(300) }
        let rest = try await blocking { [port = listener.port] in
            let connection = try RawConnection(port: port)
            try connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try connection.receive()
            try connection.send(start)
            return try connection.receiveAll()
        }
        #expect(rest.isEmpty)
        #expect(ConnectionCutReason.allCases.allSatisfy { listener.cutConnections($0) == 0 })
        await listener.stop(draining: .zero)
    }

    @Test func `only a trusted peer is kept longer`() async throws {
        let (trusting, others) = (try listener(), try listener { $0.trustedPeers = [] })
        let first = try RawConnection(port: trusting.port)
        let second = try RawConnection(port: others.port)
        let status = try await blocking {
            for connection in [first, second] {
                try connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                _ = try connection.receive()
            }
            // Closed after 160 ms; the other connection is older.
            #expect(try second.receiveAll().isEmpty)
            try first.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            return try first.receive()?.status
        }
        #expect(status == 200)
        await trusting.stop(draining: .zero)
        await others.stop(draining: .zero)
    }

    /// For longer than any of the deadlines, which are longer than a busy machine keeps a thread waiting.
    @Test func `a client that asks again and again is not cut`() async throws {
        let listener = try listener { limits in
            limits.headTimeout = .seconds(5)
            limits.bodyTimeout = .seconds(5)
            limits.answerTimeout = .seconds(5)
            limits.trustedKeepAliveTimeout = .seconds(5)
        }
        let answers = try await blocking { [port = listener.port] in
            let connection = try RawConnection(port: port)
            return try (0..<20).map { _ in
                usleep(350_000)
                try connection.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\na")
                return try connection.receive()?.status
            }
        }
        #expect(answers == Array(repeating: 200, count: 20))
        await listener.stop(draining: .zero)
    }

    @Test(
        .timeLimit(.minutes(1)),
        arguments: [
            "", "GET / HTT", "GET / HTTP/1.1\r\nHost: a\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nab",
        ]
    )
    func `a client that closes its side too early is gone at once`(start: String) async throws {
        let listener = try listener()
        let rest = try await blocking { [port = listener.port] in
            let connection = try RawConnection(port: port)
            try connection.send(start)
            connection.finishSending()
            return try connection.receiveAll()
        }
        #expect(!rest.contains("200 OK"))
        await listener.stop(draining: .zero)
    }

    /// RFC 9112 section 9.6; the library treats the connection that it has had longest differently.
    @Test(.timeLimit(.minutes(1)), arguments: [0, 3])
    func `a client that closes its side after its request gets the response`(olderConnections: Int) async throws {
        let gate = Gate()
        let listener = try listener { _ in
        } handler: { request in
            if request.target == "/wait" { await gate.pass() }
            return HTTPResponse(status: 200)
        }
        let older = try await blocking { [port = listener.port] in
            try (0..<olderConnections).map { _ in
                let connection = try RawConnection(port: port)
                try connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                _ = try connection.receive()
                return connection
            }
        }
        let waiting = try RawConnection(port: listener.port)
        try waiting.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
        waiting.finishSending()
        try await gate.arrival(of: 1)
        // By the time that this one is cut, the listener has looked at the other one too.
        _ = try await blocking { [port = listener.port] in
            let incomplete = try RawConnection(port: port)
            try incomplete.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nab")
            incomplete.finishSending()
            return try incomplete.receiveAll()
        }
        await gate.open()
        #expect(try await blocking { try waiting.receive()?.status } == 200)
        withExtendedLifetime(older) {}
        await listener.stop(draining: .zero)
    }
}
#endif
