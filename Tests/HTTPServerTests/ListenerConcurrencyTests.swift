// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Glibc
import HTTPMessage
import Synchronization
import TestSupport
import Testing

@testable import HTTPServer

/// Lets handlers wait until the test opens it.
actor Gate {
    private var isOpen = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// How many wait.
    var waitingCount: Int { waiting.count }

    func pass() async {
        if isOpen { return }
        await withCheckedContinuation { waiting.append($0) }
    }

    /// Waits until so many wait at the gate, or the time of the test is up.
    func arrival(of count: Int) async throws {
        while waiting.count < count { try await Task.sleep(for: .milliseconds(2)) }
    }

    func open() {
        isOpen = true
        for continuation in waiting { continuation.resume() }
        waiting = []
    }
}

@Suite("HTTP listener: handlers that wait", .timeLimit(.minutes(2)))
struct ListenerConcurrencyTests {
    @Test func `five hundred handlers wait at once on two threads and all are answered`() async throws {
        let gate = Gate()
        var limits = HTTPListenerLimits()
        limits.connections = 1100
        let listener = try HTTPListener(port: 0, limits: limits, threads: 2) { request in
            await gate.pass()
            return HTTPResponse(status: 200, body: Array(request.target.utf8))
        }
        async let answers = blocking { [port = listener.port] in
            let connections = try (0..<500).map { number in
                let connection = try RawConnection(port: port)
                try connection.send("GET /\(number) HTTP/1.1\r\nHost: a\r\n\r\n")
                return connection
            }
            return try connections.map { try $0.receive()?.text ?? "" }
        }
        try await gate.arrival(of: 500)
        await gate.open()
        #expect(try await answers == (0..<500).map { "/\($0)" })
        await listener.stop(draining: .seconds(1))
    }

    @Test func `a handler that does not wait stays on the thread of the listener`() async throws {
        // Task-local state of the thread: a handler that runs inline sees the same few thread identifiers.
        let threads = Mutex<Set<UInt>>([])
        let listener = try HTTPListener(port: 0, threads: 1) { _ in
            _ = threads.withLock { $0.insert(UInt(pthread_self())) }
            return HTTPResponse(status: 200)
        }
        try await blocking { [port = listener.port] in
            for _ in 0..<20 {
                let connection = try RawConnection(port: port)
                try connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                _ = try connection.receive()
            }
        }
        #expect(threads.withLock { $0.count } == 1)
        await listener.stop(draining: .zero)
    }

    @Test(.timeLimit(.minutes(1)))
    func `clients that reset while their handler waits do no harm`() async throws {
        let gate = Gate()
        let listener = try HTTPListener(port: 0, threads: 2) { request in
            if request.target == "/wait" { await gate.pass() }
            return HTTPResponse(status: 200, body: Array("ok".utf8))
        }
        let port = listener.port
        let connections = try await blocking {
            try (0..<200).map { _ in
                let connection = try RawConnection(port: port)
                try connection.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
                return connection
            }
        }
        try await gate.arrival(of: 200)
        for connection in connections { connection.reset() }
        await gate.open()
        let answer = try await converse(port, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(answer.hasSuffix("\r\n\r\nok"))
        while listener.core.inFlightCount > 0 { try await Task.sleep(for: .milliseconds(5)) }
        #expect(listener.core.suspendedCount == 0)
        await listener.stop(draining: .seconds(5))
    }

    @Test func `handlers that answer at the very moment they are suspended are not lost`() async throws {
        let listener = try HTTPListener(port: 0, threads: 2) { request in
            await Task.yield()
            return HTTPResponse(status: 200, body: Array(request.target.utf8))
        }
        let port = listener.port
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for client in 0..<8 {
                group.addTask {
                    try await blocking {
                        let connection = try RawConnection(port: port)
                        return try (0..<200).allSatisfy { number in
                            try connection.send("GET /\(client)-\(number) HTTP/1.1\r\nHost: a\r\n\r\n")
                            return try connection.receive()?.text == "/\(client)-\(number)"
                        }
                    }
                }
            }
            for try await isAnswered in group { #expect(isAnswered) }
        }
        await listener.stop(draining: .zero)
    }
}
#endif
