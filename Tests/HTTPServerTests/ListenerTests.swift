// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import HTTPServer
import TestSupport
import Testing

/// Answers with what arrived, one line for each part.
let echo: @Sendable (HTTPRequest) async -> HTTPResponse = { request in
    var text = "\(request.method) \(request.target)\n"
    for field in request.fields.all { text += "\(field.name): \(field.value)|\n" }
    text += "peer=\(request.peerAddress ?? "-")\nbody=\(request.body.count)\n"
    return HTTPResponse(status: 200, fields: ["Content-Type": "text/plain"], body: Array(text.utf8) + request.body)
}

extension HTTPListenerLimits {
    /// The default limits, but with bodies in chunks.
    static var withChunks: HTTPListenerLimits {
        var limits = HTTPListenerLimits()
        limits.acceptsChunkedBodies = true
        return limits
    }
}

@Suite("HTTP listener: requests and responses")
struct ListenerTests {
    @Test func `answers with a length and a date`() async throws {
        let listener = try HTTPListener(port: 0, handler: echo)
        #expect(listener.port != 0)
        let response = try await blocking { [port = listener.port] in
            let connection = try RawConnection(port: port)
            try connection.send(
                "GET /x?y HTTP/1.1\r\nHost: a\r\nX-Test:  b c \t\r\nDPoP: 1\r\ndpop: 2\r\nEmpty:\r\n\r\n"
            )
            return try connection.receive()
        }
        #expect(response?.status == 200)
        #expect(response?.field("Date")?.hasSuffix("GMT") == true)
        #expect(response?.field("Content-Type") == "text/plain")
        #expect(
            response?.text
                == "GET /x?y\nHost: a|\nX-Test: b c|\nDPoP: 1|\ndpop: 2|\nEmpty: |\npeer=127.0.0.1\nbody=0\n"
        )
        await listener.stop(draining: .zero)
    }

    @Test func `listens on IPv6`() async throws {
        let listener = try HTTPListener(address: "::1", port: 0, handler: echo)
        let response = try await blocking { [port = listener.port] in
            let connection = try RawConnection(port: port, isIPv6: true)
            try connection.send("GET / HTTP/1.1\r\nHost: [::1]:\(port)\r\n\r\n")
            return try connection.receive()
        }
        #expect(response?.text.contains("peer=::1\n") == true)
        await listener.stop(draining: .zero)
    }

    @Test(arguments: [1, 4])
    func `keeps the connection for the next request`(threads: Int) async throws {
        let listener = try HTTPListener(port: 0, threads: threads, handler: echo)
        let texts = try await blocking { [port = listener.port] in
            let connection = try RawConnection(port: port)
            return try (0..<20).map { number in
                try connection.send("POST /\(number) HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc")
                return try connection.receive()?.text ?? ""
            }
        }
        #expect(texts.map { String($0.prefix { $0 != "\n" }) } == (0..<20).map { "POST /\($0)" })
        #expect(texts.allSatisfy { $0.hasSuffix("body=3\nabc") })
        await listener.stop(draining: .zero)
    }

    @Test func `answers pipelined requests in order, whether their handlers wait or not`() async throws {
        let listener = try HTTPListener(port: 0, limits: .withChunks) { request in
            if request.target != "/2" { try? await Task.sleep(for: .milliseconds(request.target == "/1" ? 30 : 1)) }
            return HTTPResponse(status: 200, body: Array(request.target.utf8) + request.body)
        }
        let texts = try await blocking { [port = listener.port] in
            let connection = try RawConnection(port: port)
            try connection.send(
                "POST /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab"
                    + "GET /2 HTTP/1.1\r\nHost: a\r\n\r\n"
                    + "POST /3 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n"
                    + "GET /4 HTTP/1.1\r\nHost: a\r\n\r\n"
            )
            return try (0..<4).map { _ in try connection.receive()?.text }
        }
        #expect(texts == ["/1ab", "/2", "/3x", "/4"])
        await listener.stop(draining: .zero)
    }

    @Test func `hands on the target undecoded`() async throws {
        let listener = try HTTPListener(port: 0, handler: echo)
        for target in ["/a%00b%2Fc?x=%zz", "/", "//host/..//x", "/%", "/a?b=c&&=+%2B&d", "/\"<>\\^`{|}?a?"] {
            let answer = try await converse(
                listener.port,
                "GET \(target) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
            )
            #expect(answer.contains("\r\n\r\nGET \(target)\n"))
        }
        await listener.stop(draining: .zero)
    }

    @Test func `answers HEAD without a body and goes on`() async throws {
        let listener = try HTTPListener(port: 0, handler: echo)
        let (head, next) = try await blocking { [port = listener.port] in
            let connection = try RawConnection(port: port)
            try connection.send("HEAD /a HTTP/1.1\r\nHost: a\r\n\r\n")
            let head = try connection.receive(toHEAD: true)
            try connection.send("GET /b HTTP/1.1\r\nHost: a\r\n\r\n")
            return (head, try connection.receive())
        }
        #expect(head?.contentLength == "HEAD /a\nHost: a|\npeer=127.0.0.1\nbody=0\n".utf8.count)
        #expect(next?.text.hasPrefix("GET /b\n") == true)
        await listener.stop(draining: .zero)
    }

    @Test func `hands on a body of any bytes, also in chunks and after 100 Continue`() async throws {
        let listener = try HTTPListener(port: 0, limits: .withChunks) {
            HTTPResponse(status: 200, body: $0.body.reversed())
        }
        let bytes = (0..<60_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        let bodies = try await blocking { [port = listener.port] in
            let connection = try RawConnection(port: port)
            try connection.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\nExpect: 100-continue\r\n\r\n")
            let interim = try connection.receive()
            try connection.send(bytes)
            let whole = try connection.receive()
            try connection.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n")
            for start in stride(from: 0, to: bytes.count, by: 6000) {
                try connection.send("1770;x=y\r\n")
                try connection.send(Array(bytes[start..<start + 6000]))
                try connection.send("\r\n")
            }
            try connection.send("0\r\nTrailer: x\r\n\r\n")
            return (interim?.status, whole?.body, try connection.receive()?.body)
        }
        #expect(bodies.0 == 100)
        #expect(bodies.1 == bytes.reversed())
        #expect(bodies.2 == bytes.reversed())
        await listener.stop(draining: .zero)
    }

    @Test func `keeps trailer fields away from the header fields`() async throws {
        let listener = try HTTPListener(port: 0, limits: .withChunks, handler: echo)
        let text = try await blocking { [port = listener.port] in
            let connection = try RawConnection(port: port)
            try connection.send(
                "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\nAuthorization: DPoP y\r\n\r\n"
            )
            return try connection.receive()?.text
        }
        #expect(text == "POST /\nHost: a|\nTransfer-Encoding: chunked|\npeer=127.0.0.1\nbody=1\nx")
        await listener.stop(draining: .zero)
    }

    @Test func `closes after a request of HTTP 1.0 or with Connection close`() async throws {
        let listener = try HTTPListener(port: 0, handler: echo)
        let old = try await converse(listener.port, "GET / HTTP/1.0\r\nHost: a\r\n\r\n")
        #expect(old.contains(" 200 "))
        let new = try await converse(listener.port, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(new.contains("\r\nConnection: close\r\n"))
        await listener.stop(draining: .zero)
    }
}

@Suite("HTTP listener: what a handler may answer")
struct ListenerResponseTests {
    private func answer(_ response: HTTPResponse, method: String = "GET") async throws -> RawResponse? {
        let listener = try HTTPListener(port: 0) { _ in response }
        let received = try await blocking { [port = listener.port] in
            let connection = try RawConnection(port: port)
            try connection.send("\(method) / HTTP/1.1\r\nHost: a\r\n\r\n")
            return try connection.receive()
        }
        await listener.stop(draining: .zero)
        return received
    }

    @Test func `several fields of one name stay several`() async throws {
        let response = try await answer(
            HTTPResponse(
                status: 401,
                fields: ["WWW-Authenticate": "Bearer", "WWW-Authenticate": "DPoP", "X-Empty": ""]
            )
        )
        #expect(response?.head.contains("\r\nWWW-Authenticate: Bearer\r\nWWW-Authenticate: DPoP") == true)
        #expect(response?.head.contains("X-Empty") == false)
    }

    @Test func `lengths and dates of the handler are not sent`() async throws {
        let response = try await answer(
            HTTPResponse(
                status: 200,
                fields: ["content-length": "1", "Transfer-Encoding": "chunked", "DATE": "now"],
                body: Array("abc".utf8)
            )
        )
        #expect(response?.text == "abc")
        #expect(response?.field("Transfer-Encoding") == nil)
        #expect(response?.field("Date") != "now")
    }

    @Test func `a response without content has no body`() async throws {
        let response = try await answer(HTTPResponse(status: 204, body: [1, 2, 3]))
        #expect(response?.status == 204)
        #expect(response?.field("Content-Length") == nil)
    }

    @Test(arguments: [
        HTTPResponse(status: 200, fields: ["X": "a\r\nSet-Cookie: b"]),
        HTTPResponse(status: 200, fields: ["X": "a\u{0}b"]),
        HTTPResponse(status: 200, fields: ["X y": "a"]), HTTPResponse(status: 200, fields: ["": "a"]),
        HTTPResponse(status: 200, fields: ["X:": "a"]), HTTPResponse(status: 42), HTTPResponse(status: 100),
        HTTPResponse(status: 600), HTTPResponse(status: -1),
    ])
    func `a response that breaks the rules becomes a 500`(response: HTTPResponse) async throws {
        let received = try await answer(response)
        #expect(received?.status == 500)
        #expect(received?.head.contains("Set-Cookie") == false)
    }

    @Test func `a large body arrives whole`() async throws {
        let body = [UInt8](repeating: 120, count: 3_000_000)
        #expect(try await answer(HTTPResponse(status: 200, body: body))?.body == body)
    }
}
#endif
