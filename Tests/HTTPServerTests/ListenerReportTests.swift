// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import HTTPServer
import Synchronization
import TestSupport
import Testing

@Suite("What the listener refuses by itself is told", .timeLimit(.minutes(2)))
struct ListenerReportTests {
    private final class Told: Sendable {
        private let requests = Mutex<[RejectedRequest]>([])

        var all: [RejectedRequest] { requests.withLock { $0 } }

        func add(_ request: RejectedRequest) {
            requests.withLock { $0.append(request) }
        }
    }

    @Test func `malformed and too large requests are told with their address, answered ones are not`() async throws {
        let told = Told()
        var limits = HTTPListenerLimits.withChunks
        limits.bodySize = 4
        let listener = try HTTPListener(port: 0, limits: limits, refused: told.add) { _ in HTTPResponse(status: 404) }
        _ = try await converse(listener.port, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(told.all.isEmpty)
        _ = try await converse(listener.port, "GET /secret HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n")
        _ = try await converse(
            listener.port,
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n6\r\nsecret\r\n0\r\n\r\n"
        )
        #expect(told.all.map(\.status) == [400, 413])
        #expect(told.all.map(\.peerAddress) == ["127.0.0.1", "127.0.0.1"])
        #expect(told.all.allSatisfy { !$0.reason.isEmpty && !$0.reason.contains("secret") })
        await listener.stop(draining: .zero)
    }

    private static let transportSecurity: HTTPFields = ["Strict-Transport-Security": "max-age=63072000"]

    @Test func `a handler that is too late is told once, and its client gets the fields of a rejection`() async throws {
        let told = Told()
        var limits = HTTPListenerLimits()
        limits.requestDeadline = .milliseconds(50)
        let listener = try HTTPListener(
            port: 0,
            limits: limits,
            rejectionFields: Self.transportSecurity,
            refused: told.add
        ) { _ in
            try? await Task.sleep(for: .seconds(60))
            return HTTPResponse(status: 200)
        }
        let answer = try await converse(listener.port, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 503 "))
        #expect(answer.contains("\r\nStrict-Transport-Security: max-age=63072000\r\n"))
        #expect(told.all.map(\.status) == [503])
        #expect(told.all.map(\.peerAddress) == ["127.0.0.1"])
        await listener.stop(draining: .zero)
    }

    @Test func `a request that a stop interrupts is told, and its client gets the fields of a rejection`() async throws
    {
        let (told, gate) = (Told(), Gate())
        let listener = try HTTPListener(
            port: 0,
            rejectionFields: Self.transportSecurity,
            refused: told.add
        ) { _ in
            await gate.pass()
            return HTTPResponse(status: 200)
        }
        async let answer = converse(listener.port, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        try await gate.arrival(of: 1)
        await listener.stop(draining: .zero)
        let text = try await answer
        #expect(text.hasPrefix("HTTP/1.1 503 "))
        #expect(text.contains("\r\nStrict-Transport-Security: max-age=63072000\r\n"))
        #expect(told.all.map(\.reason) == ["the server is shutting down"])
        #expect(told.all.map(\.peerAddress) == ["127.0.0.1"])
        await gate.open()
    }

    @Test func `the response in place of one that breaks the rules has the fields of a rejection`() async throws {
        let listener = try HTTPListener(port: 0, rejectionFields: Self.transportSecurity) { _ in
            HTTPResponse(status: 200, fields: ["X": "a\r\nSet-Cookie: b"])
        }
        let answer = try await converse(listener.port, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 500 "))
        #expect(answer.contains("\r\nStrict-Transport-Security: max-age=63072000\r\n"))
        await listener.stop(draining: .zero)
    }
}
#endif
