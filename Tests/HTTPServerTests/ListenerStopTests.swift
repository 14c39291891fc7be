// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Dispatch
import Glibc
import HTTPMessage
import Synchronization
import TestSupport
import Testing

@testable import HTTPServer

/// Where the clients of a test connect, while it goes on.
private final class Flag: Sendable {
    let value = Atomic<Bool>(false)
}

@Suite("HTTP listener: start and stop")
struct ListenerStopTests {
    @Test(.timeLimit(.minutes(1)))
    func `requests in flight are answered and their connections close`() async throws {
        let gate = Gate()
        // Not a port that the system assigns: once it is closed, another server could accept the connections below.
        let port = FreePort.next()
        let listener = try HTTPListener(port: port, threads: 2) { _ in
            await gate.pass()
            return HTTPResponse(status: 200, body: Array("done".utf8))
        }
        async let answers = blocking {
            let connections = try (0..<50).map { _ in
                let connection = try RawConnection(port: port)
                try connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                return connection
            }
            return try connections.map { try $0.receiveAll() }
        }
        try await gate.arrival(of: 50)
        async let stopped: Void = listener.stop(draining: .seconds(60))
        var isRejected = false
        while !isRejected {
            do { try await blocking { _ = try RawConnection(port: port) } } catch is RawConnection.Failure {
                isRejected = true
            }
        }
        await gate.open()
        await stopped
        let texts = try await answers
        #expect(texts.allSatisfy { $0.hasSuffix("\r\n\r\ndone") && $0.contains("\r\nConnection: close\r\n") })
        await #expect(throws: RawConnection.Failure.self) { try await blocking { _ = try RawConnection(port: port) } }
    }

    @Test func `an idle connection that is kept alive does not hold up the end`() async throws {
        let listener = try HTTPListener(port: 0, handler: echo)
        let connection = try await blocking { [port = listener.port] in
            let connection = try RawConnection(port: port)
            try connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try connection.receive()
            return connection
        }
        let begin = ContinuousClock.now
        await listener.stop(draining: .seconds(600))
        #expect(ContinuousClock.now - begin < .seconds(300))
        #expect(try await blocking { try connection.receiveAll() } == "")
    }

    @Test(.timeLimit(.minutes(1)))
    func `a handler that never answers does not hold up the end`() async throws {
        let gate = Gate()
        let listener = try HTTPListener(port: 0, threads: 2) { _ in
            await gate.pass()
            return HTTPResponse(status: 200)
        }
        async let answers = blocking { [port = listener.port] in
            let connections = try (0..<10).map { _ in
                let connection = try RawConnection(port: port)
                try connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                return connection
            }
            return try connections.map { try $0.receiveAll() }
        }
        try await gate.arrival(of: 10)
        await listener.stop(draining: .milliseconds(50))
        #expect(try await answers.allSatisfy { $0.hasPrefix("HTTP/1.1 503 ") })
        // Answers that come after the end go nowhere.
        await gate.open()
        try await Task.sleep(for: .milliseconds(50))
    }

    @Test(.timeLimit(.minutes(1)))
    func `a request whose connection ends before it can be answered is forgotten`() async throws {
        let gate = Gate()
        let begun = DispatchSemaphore(value: 0)
        let end = DispatchSemaphore(value: 0)
        @Sendable func hold() {
            begun.signal()
            end.wait()
        }
        let listener = try HTTPListener(port: 0, threads: 1) { request in
            if request.target == "/hold" { hold() } else { await gate.pass() }
            return HTTPResponse(status: 200)
        }
        let waiting = try RawConnection(port: listener.port)
        try waiting.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        try await gate.arrival(of: 1)
        // Its thread has suspended the first request by the time that it comes to this one.
        let holding = try RawConnection(port: listener.port)
        try holding.send("GET /hold HTTP/1.1\r\nHost: a\r\n\r\n")
        let hasBegun = try await blocking { begun.wait(timeout: .now() + 30) == .success }
        try #require(hasBegun)
        async let stopped: Void = listener.stop(draining: .zero)
        // However the test ends: the stop waits for the handler.
        defer { end.signal() }
        // Longer than the stop waits for the thread to send the last responses.
        try await Task.sleep(for: .milliseconds(1500))
        end.signal()
        await stopped
        #expect(listener.core.suspendedCount == 0)
        await gate.open()
        withExtendedLifetime((waiting, holding)) {}
    }

    /// The library aborts the process if a connection is suspended when its thread ends.
    @Test(.timeLimit(.minutes(1)))
    func `a start that fails ends the threads that have suspended requests already`() async throws {
        let (code, requestsLeft): (HTTPServerError.Code?, Int) = try await blocking {
            let socket = try ListeningSocket(.network("127.0.0.1", port: 0))
            let core = ListenerCore(limits: HTTPListenerLimits(), rejectionFields: [:], refused: nil) { _ in
                try? await Task.sleep(for: .seconds(600))
                return HTTPResponse(status: 200)
            }
            let acceptor = try #require(Acceptor(socket: socket, threads: 2, limit: 10, core: core))
            let client = try RawConnection(port: socket.port)
            defer { client.close() }
            try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            do throws(HTTPServerError) {
                _ = try HTTPListener.start(2, core, acceptor, socket) { number in
                    if number == 0 { return ListenerThread(core: core, acceptor: acceptor, number: number) }
                    for _ in 0..<30_000 where core.suspendedCount == 0 { usleep(1000) }
                    return nil
                }
            } catch {
                return (error.code, core.inFlightCount)
            }
            return (nil, core.inFlightCount)
        }
        #expect(code == .cannotListen)
        #expect(requestsLeft == 0)
    }

    @Test func `stopping again waits for the first stop`() async throws {
        let listener = try HTTPListener(port: 0, handler: echo)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<5 { group.addTask { await listener.stop(draining: .seconds(1)) } }
        }
        await listener.stop(draining: .zero)
    }

    @Test func `requests that arrive while it stops are answered or closed, never lost in between`() async throws {
        // Not a port that the system assigns: what is sent after the end would reach the server of another test.
        let port = FreePort.next()
        for _ in 0..<20 {
            let listener = try HTTPListener(port: port, threads: 2) { _ in
                await Task.yield()
                return HTTPResponse(status: 200, body: Array("done".utf8))
            }
            async let answers = blocking {
                (0..<100).map { _ in
                    guard let connection = try? RawConnection(port: port),
                        (try? connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")) != nil,
                        let response = try? connection.receive()
                    else { return 0 }
                    return response.status
                }
            }
            try await Task.sleep(for: .milliseconds(3))
            await listener.stop(draining: .milliseconds(1))
            #expect(try await answers.allSatisfy { [0, 200, 503].contains($0) })
        }
    }

    /// GNU libmicrohttpd 0.9.75 aborts the process here, once in some thousand stops, when it runs the threads itself.
    @Test func `a listener that is stopped while connections come and go ends in order`() async throws {
        // Not a port that the system assigns: what is sent after an end would reach the server of another test.
        let port = FreePort.next()
        let isOver = Flag()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    try await blocking {
                        while !isOver.value.load(ordering: .relaxed) {
                            guard let connection = try? RawConnection(port: port) else { continue }
                            try? connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                            _ = try? connection.receive()
                        }
                    }
                }
            }
            for _ in 0..<500 {
                let listener = try HTTPListener(port: port, threads: 4, handler: echo)
                try await Task.sleep(for: .milliseconds(2))
                await listener.stop(draining: .milliseconds(1))
            }
            isOver.value.store(true, ordering: .relaxed)
            try await group.waitForAll()
        }
    }

    @Test func `the port is free again after the end, also without a stop`() async throws {
        // Not a port that the system assigns: another test could get it as soon as it is free.
        let port = FreePort.next()
        do {
            let listener = try HTTPListener(port: port, handler: echo)
            await listener.stop(draining: .zero)
            let second = try HTTPListener(port: port, handler: echo)
            #expect(second.port == port)
        }
        // The second one ends on a thread of its own.
        for attempt in 0..<6_000 {
            if let third = try? HTTPListener(port: port, handler: echo) {
                await third.stop(draining: .zero)
                return
            }
            try await Task.sleep(for: .milliseconds(10))
            #expect(attempt < 5_999)
        }
    }

    @Test func `a port in use is reported with the address, the port and what to do`() async throws {
        let listener = try HTTPListener(port: 0, handler: echo)
        let error = #expect(throws: HTTPServerError.self) { try HTTPListener(port: listener.port, handler: echo) }
        #expect(error?.code == .cannotListen)
        #expect(error?.reason.contains("127.0.0.1 port \(listener.port)") == true)
        #expect(error?.reason.contains("choose another port") == true)
        await listener.stop(draining: .zero)
    }

    @Test(arguments: ["localhost", "", "127.1", "[::1]", "1.2.3.4.5", "192.0.2.1"])
    func `an address that is none of this machine is reported`(address: String) {
        let error = #expect(throws: HTTPServerError.self) { try HTTPListener(address: address, port: 0, handler: echo) }
        let isOfAnother = address == "192.0.2.1"
        #expect(error?.code == (isOfAnother ? .cannotListen : .invalidAddress))
        #expect(HTTPListener.isAddress(address) == isOfAnother)
    }

    @Test func `listening on all IPv6 addresses leaves the IPv4 port alone`() async throws {
        let six = try HTTPListener(address: "::", port: FreePort.next(), handler: echo)
        let four = try HTTPListener(address: "0.0.0.0", port: six.port, handler: echo)
        await six.stop(draining: .zero)
        await four.stop(draining: .zero)
    }
}
#endif
