// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Glibc
import HTTPMessage
import HTTPServer
import TestSupport
import Testing

/// What libmicrohttpd 0.9.75 reads its own way, and what becomes of it here.
@Suite("RFC 9112 section 2.2 and 5.2: ends of lines, folding and NUL")
struct ListenerLineTests {
    @Test(arguments: [
        ("a bare LF after the request line", "GET / HTTP/1.1\nHost: a\r\n\r\n"),
        ("a bare LF after the first field", "GET / HTTP/1.1\r\nHost: a\nX: y\r\n\r\n"),
        ("a bare LF after the last field", "GET / HTTP/1.1\r\nX: y\r\nHost: a\n\r\n"),
        ("a bare LF at the end", "GET / HTTP/1.1\r\nHost: a\r\n\n"),
        ("bare LFs only", "GET / HTTP/1.1\nHost: a\n\n"),
        ("a folded line", "GET / HTTP/1.1\r\nHost: a\r\nX: y\r\n z\r\n\r\n"),
        ("a folded line that extends the name", "GET / HTTP/1.1\r\nHost: a\r\nX: y\r\n -Forwarded-For\r\nZ: z\r\n\r\n"),
        ("a folded line after the last field", "GET / HTTP/1.1\r\nX: y\r\nHost: a\r\n\tz\r\n\r\n"),
        ("a folded line of white space", "GET / HTTP/1.1\r\nHost: a\r\nX: y\r\n \r\n\r\n"),
        ("a folded line after the request line", "GET / HTTP/1.1\r\n X: y\r\nHost: a\r\n\r\n"),
        ("NUL in a value", "GET / HTTP/1.1\r\nHost: a\r\nX: y\u{0}z\r\n\r\n"),
        ("NUL at the end of a value", "GET / HTTP/1.1\r\nHost: a\u{0}\r\nX: y\r\n\r\n"),
        ("NUL in the last value", "GET / HTTP/1.1\r\nX: y\r\nHost: a\u{0}b\r\n\r\n"),
        ("NUL in a name", "GET / HTTP/1.1\r\nHost: a\r\nX\u{0}Y: z\r\n\r\n"),
        ("NUL at the start of a line", "GET / HTTP/1.1\r\nHost: a\r\n\u{0}X: y\r\nContent-Length: 5\r\n\r\n"),
        ("NUL in the target", "GET /a\u{0}b HTTP/1.1\r\nHost: a\r\n\r\n"),
        ("NUL in the query", "GET /a?b\u{0}c HTTP/1.1\r\nHost: a\r\n\r\n"),
        ("NUL in the method", "G\u{0}T / HTTP/1.1\r\nHost: a\r\n\r\n"),
        ("NUL in the version", "GET / HTTP/1.1\u{0}\r\nHost: a\r\n\r\n"),
        ("a line that begins with a colon", "GET / HTTP/1.1\r\nHost: a\r\n: z\r\nContent-Length: 5\r\n\r\n"),
        ("two spaces before the target", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n"),
        ("two spaces before the version", "GET /  HTTP/1.1\r\nHost: a\r\n\r\n"),
        ("a space after the version", "GET / HTTP/1.1 \r\nHost: a\r\n\r\n"),
        ("a bare LF and a NUL that make up for it", "GET / HTTP/1.1\r\nHost: a\nX: y\u{0}\r\nY: z\r\n\r\n"),
    ])
    func `refuses`(what: String, request: String) async throws {
        let listener = try HTTPListener(port: 0) { _ in HTTPResponse(status: 200, body: Array("handled".utf8)) }
        let answer = try await converse(listener.port, request)
        #expect(!answer.contains("handled"), "\(what)")
        #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 400 ") || answer.hasPrefix("HTTP/1.1 505 "), "\(what)")
        await listener.stop(draining: .zero)
    }

    /// To the library, and to these checks, it looks like CR LF; a proxy that lets NUL through would have to differ.
    @Test func `NUL before a bare LF is taken for the CR`() async throws {
        let listener = try HTTPListener(port: 0, handler: echo)
        let answer = try await converse(
            listener.port,
            "GET / HTTP/1.1\r\nHost: a\r\nX: y\u{0}\nConnection: close\r\n\r\n"
        )
        #expect(answer.contains("\nX: y|\nConnection: close|\n"))
        await listener.stop(draining: .zero)
    }

    @Test func `empty lines before a request are skipped`() async throws {
        let listener = try HTTPListener(port: 0, handler: echo)
        let answer = try await converse(
            listener.port,
            "\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
        )
        #expect(answer.hasPrefix("HTTP/1.1 200 "))
        await listener.stop(draining: .zero)
    }

    @Test(arguments: [1, 7, 1000])
    func `a proper request is read however it is cut into pieces`(size: Int) async throws {
        let listener = try HTTPListener(port: 0, handler: echo)
        let fields = (0..<60).map { "X-\($0):\($0 % 3 == 0 ? "" : " \t")\(String(repeating: "v", count: $0 * 5))\r\n" }
        let request = Array(
            ("POST /?a=b HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n" + fields.joined() + "\r\nabc").utf8
        )
        let texts = try await blocking { [port = listener.port] in
            let connection = try RawConnection(port: port)
            return try (0..<2).map { _ in
                for start in stride(from: 0, to: request.count, by: size) {
                    try connection.send(Array(request[start..<min(start + size, request.count)]))
                    if size > 1 || start % 500 == 0 { usleep(1000) }
                }
                return try connection.receive()?.text ?? ""
            }
        }
        #expect(
            texts.allSatisfy { $0.hasPrefix("POST /?a=b\n") && $0.contains("\nX-59: vvv") && $0.hasSuffix("\nabc") }
        )
        await listener.stop(draining: .zero)
    }
}
#endif
