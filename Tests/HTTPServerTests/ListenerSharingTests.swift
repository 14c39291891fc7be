// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Dispatch
import Glibc
import HTTPMessage
import HTTPServer
import Synchronization
import TestSupport
import Testing

@Suite("HTTP listener: connections are shared out")
struct ListenerSharingTests {
    @Test(arguments: [1, 2, 3, 4])
    func `connections that are made in one moment are served by all threads, equally many by each`(
        threads: Int
    ) async throws {
        let served = Mutex<[UInt: Int]>([:])
        let listener = try HTTPListener(port: 0, threads: threads) { _ in
            served.withLock { $0[UInt(pthread_self()), default: 0] += 1 }
            return HTTPResponse(status: 200)
        }
        try await blocking { [port = listener.port] in
            let connections = try (0..<12).map { _ in try RawConnection(port: port) }
            for connection in connections {
                try connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                _ = try connection.receive()
            }
        }
        #expect(served.withLock { Array($0.values) } == [Int](repeating: 12 / threads, count: threads))
        await listener.stop(draining: .zero)
    }

    @Test func `more connections than a thread accepts at a time are all served`() async throws {
        // Holds the thread until all have come.
        let begun = DispatchSemaphore(value: 0)
        let end = DispatchSemaphore(value: 0)
        @Sendable func hold() {
            begun.signal()
            end.wait()
        }
        // Each connection waits for its turn to send its head.
        var limits = HTTPListenerLimits()
        limits.headTimeout = .seconds(600)
        let listener = try HTTPListener(port: 0, limits: limits, threads: 1) { request in
            if request.target == "/hold" { hold() }
            return HTTPResponse(status: 200, body: Array(request.target.utf8))
        }
        let answers = try await blocking { [port = listener.port] in
            let first = try RawConnection(port: port)
            try first.send("GET /hold HTTP/1.1\r\nHost: a\r\n\r\n")
            defer { end.signal() }
            try #require(begun.wait(timeout: .now() + 60) == .success)
            let connections = try (0..<100).map { _ in try RawConnection(port: port, timeout: 60) }
            end.signal()
            // Only the last one sends at first: nothing that the others do brings the thread back to those that wait.
            return try connections.indices.reversed().map { number in
                try connections[number].send("GET /\(number) HTTP/1.1\r\nHost: a\r\n\r\n")
                return try connections[number].receive()?.text ?? ""
            }
        }
        #expect(answers == (0..<100).reversed().map { "/\($0)" })
        await listener.stop(draining: .zero)
    }

    @Test func `a connection goes to a thread that has lost one`() async throws {
        let served = Mutex<[String: UInt]>([:])
        let listener = try HTTPListener(port: 0, threads: 2) { request in
            served.withLock { $0[request.target] = UInt(pthread_self()) }
            return HTTPResponse(status: 200)
        }
        try await blocking { [port = listener.port] in
            func ask(_ target: String, _ connection: RawConnection) throws {
                try connection.send("GET /\(target) HTTP/1.1\r\nHost: a\r\n\r\n")
                _ = try connection.receive()
            }
            let connections = try (0..<4).map { _ in try RawConnection(port: port) }
            for (number, connection) in connections.enumerated() { try ask("\(number)", connection) }
            let thread = served.withLock { $0["/0"] }
            for number in 0..<4 where served.withLock({ $0["/\(number)"] == thread }) { connections[number].close() }
            // Until the listener knows that they are closed, new ones are shared out as if they were open.
            var last: [RawConnection] = []
            for attempt in 0..<500 {
                last = try (0..<2).map { _ in try RawConnection(port: port) }
                for (number, connection) in last.enumerated() { try ask("new-\(number)", connection) }
                if served.withLock({ $0["/new-0"] == thread && $0["/new-1"] == thread }) { return }
                for connection in last { connection.close() }
                usleep(UInt32(attempt) * 100)
            }
            Issue.record("the thread that lost two connections never got two")
        }
        await listener.stop(draining: .zero)
    }
}
#endif
