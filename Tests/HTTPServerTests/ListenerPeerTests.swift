// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import HTTPServer
import TestSupport
import Testing

@Suite("HTTP listener: connections of one address")
struct ListenerPeerTests {
    private func listener(
        share: Int?,
        trusting peers: [String] = [],
        handler: @escaping @Sendable (HTTPRequest) async -> HTTPResponse = { _ in HTTPResponse(status: 200) }
    ) throws -> HTTPListener {
        var limits = HTTPListenerLimits()
        limits.connectionsPerPeer = share
        limits.trustedPeers = peers.compactMap { IPAddressRange(parsing: $0) }
        return try HTTPListener(port: 0, limits: limits, threads: 1, handler: handler)
    }

    private static let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test(.timeLimit(.minutes(1)))
    func `a new connection replaces one that waits for a request`() async throws {
        let gate = Gate()
        let listener = try listener(share: 2) { request in
            if request.target == "/wait" { await gate.pass() }
            return HTTPResponse(status: 200)
        }
        let working = try RawConnection(port: listener.port)
        try working.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
        try await gate.arrival(of: 1)
        let (statuses, rest) = try await blocking { [port = listener.port] in
            let other = try RawConnection(port: port, from: "127.0.0.2")
            let kept = try RawConnection(port: port)
            try kept.send(Self.request)
            _ = try kept.receive()
            let new = try RawConnection(port: port)
            let rest = try kept.receiveAll()
            for connection in [other, new] { try connection.send(Self.request) }
            return (try [other, new].map { try $0.receive()?.status }, rest)
        }
        #expect(rest.isEmpty)
        #expect(statuses == [200, 200])
        #expect(listener.cutConnections(.peer) == 1)
        await gate.open()
        #expect(try await blocking { try working.receive()?.status } == 200)
        await listener.stop(draining: .zero)
    }

    @Test(.timeLimit(.minutes(1)))
    func `requests in progress are not lost, a new connection is closed instead`() async throws {
        let gate = Gate()
        let listener = try listener(share: 2) { _ in
            await gate.pass()
            return HTTPResponse(status: 200)
        }
        let working = try (0..<2).map { _ in
            let connection = try RawConnection(port: listener.port)
            try connection.send(Self.request)
            return connection
        }
        try await gate.arrival(of: 2)
        let (refused, other) = try await blocking { [port = listener.port] in
            let other = try RawConnection(port: port, from: "127.0.0.2")
            try other.send(Self.request)
            return (try RawConnection(port: port).receiveAll(), other)
        }
        #expect(refused.isEmpty)
        await gate.open()
        let statuses = try await blocking { try (working + [other]).map { try $0.receive()?.status } }
        #expect(statuses == [200, 200, 200])
        await listener.stop(draining: .zero)
    }

    @Test(.timeLimit(.minutes(1)), arguments: [nil, 2])
    func `without a share, and for a trusted proxy, there are as many as for all`(share: Int?) async throws {
        let listener = try listener(share: share, trusting: share == nil ? [] : ["127.0.0.1"])
        let statuses = try await blocking { [port = listener.port] in
            let connections = try (0..<20).map { _ in try RawConnection(port: port) }
            for connection in connections { try connection.send(Self.request) }
            return try connections.map { try $0.receive()?.status }
        }
        #expect(statuses == [Int?](repeating: 200, count: 20))
        await listener.stop(draining: .zero)
    }

    @Test(.timeLimit(.minutes(1)))
    func `a share is free again after its connections closed`() async throws {
        let listener = try listener(share: 2)
        let closing = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
        for _ in 0..<10 {
            let answers = try await blocking { [port = listener.port] in
                let connections = try (0..<2).map { _ in try RawConnection(port: port) }
                for connection in connections { try connection.send(closing) }
                return try connections.map { try $0.receiveAll().hasPrefix("HTTP/1.1 200 ") }
            }
            #expect(answers == [true, true])
        }
        await listener.stop(draining: .zero)
    }
}
#endif
