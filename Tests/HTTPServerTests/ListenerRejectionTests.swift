// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import HTTPServer
import TestSupport
import Testing

@Suite("RFC 9112: requests that two parsers could read differently")
struct ListenerRejectionTests {
    private static let smuggled = "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test(arguments: [
        ("a length beside a coding", "Host: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n", 400),
        ("a coding beside a length", "Host: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n", 400),
        ("two different lengths", "Host: a\r\nContent-Length: 0\r\nContent-Length: 38\r\n", 400),
        ("two equal lengths", "Host: a\r\nContent-Length: 0\r\nContent-Length: 0\r\n", 400),
        ("a list of lengths", "Host: a\r\nContent-Length: 0, 0\r\n", 400),
        ("a signed length", "Host: a\r\nContent-Length: +0\r\n", 400),
        ("a negative length", "Host: a\r\nContent-Length: -1\r\n", 400),
        ("a hexadecimal length", "Host: a\r\nContent-Length: 0x0\r\n", 400),
        ("an empty length", "Host: a\r\nContent-Length: \r\n", 400),
        ("a length beyond 64 bits", "Host: a\r\nContent-Length: 18446744073709551616\r\n", 413),
        ("a length beyond 63 bits", "Host: a\r\nContent-Length: 9223372036854775808\r\n", 413),
        ("an unknown coding", "Host: a\r\nTransfer-Encoding: xchunked\r\n", 400),
        ("another coding", "Host: a\r\nTransfer-Encoding: gzip\r\n", 400),
        ("two codings", "Host: a\r\nTransfer-Encoding: gzip, chunked\r\n", 400),
        ("identity", "Host: a\r\nTransfer-Encoding: identity\r\n", 400),
        ("the coding twice", "Host: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", 400),
        ("a coding and white space", "Host: a\r\nTransfer-Encoding: chunked \r\n", 400),
        ("a coding after a vertical tab", "Host: a\r\nTransfer-Encoding: \u{B}chunked\r\n", 400),
        ("an empty coding", "Host: a\r\nTransfer-Encoding:\r\n", 400), ("no host", "X: y\r\n", 400),
        ("two hosts", "Host: a\r\nHost: b\r\n", 400), ("two equal hosts", "Host: a\r\nhost: a\r\n", 400),
        ("an empty host", "Host:\r\n", 400), ("a host with a path", "Host: a/b\r\n", 400),
        ("a host with a user", "Host: u@a\r\n", 400),
        ("a list of hosts", "Host: a, b\r\n", 400), ("a host with a space", "Host: a b\r\n", 400),
        ("a space before the colon", "Host: a\r\nContent-Length : 0\r\n", 400),
        ("a space in a name", "Host: a\r\nX Y: z\r\n", 400),
        ("a tab before the colon", "Host: a\r\nX\t: z\r\n", 400), ("an empty name", "Host: a\r\n: z\r\n", 400),
        ("a name that is not a token", "Host: a\r\nX(Y): z\r\n", 400),
        ("a name beyond ASCII", "Host: a\r\nX\u{FC}: z\r\n", 400),
        ("a line without a colon", "Host: a\r\nX\r\n", 400),
        ("a control character in a value", "Host: a\r\nX: y\u{1}z\r\n", 400),
        ("a delete character in a value", "Host: a\r\nX: y\u{7F}z\r\n", 400),
        ("a bare carriage return in a value", "Host: a\r\nX: y\rContent-Length: 4\r\n", 400),
    ])
    func `refuses a header block with`(what: String, fields: String, status: Int) async throws {
        let listener = try HTTPListener(port: 0) { HTTPResponse(status: 200, body: Array("handled \($0.target)".utf8)) }
        let answer = try await converse(listener.port, "POST / HTTP/1.1\r\n\(fields)\r\n\(Self.smuggled)")
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(what)")
        #expect(!answer.contains("handled"), "\(what)")
        await listener.stop(draining: .zero)
    }

    @Test(arguments: [
        ("GET * HTTP/1.1", 400), ("OPTIONS * HTTP/1.1", 400), ("GET http://a/x HTTP/1.1", 400),
        ("CONNECT a:443 HTTP/1.1", 400),
        ("GET x HTTP/1.1", 400), ("GET /a b HTTP/1.1", 400), ("GET /\u{FC} HTTP/1.1", 400),
        ("GET /a\u{1} HTTP/1.1", 400),
        ("GET /a#b HTTP/1.1", 400), ("GET /a\tb HTTP/1.1", 400), ("GET /a\rb HTTP/1.1", 400), ("G@T / HTTP/1.1", 400),
        ("G\tT / HTTP/1.1", 400), ("GET / HTTP/1.2", 505), ("GET / HTTP/2.0", 505), ("GET / http/1.1", 400),
        ("GET / HTTP/1.1x", 400),
        ("GET / HTTPS/1.1", 400), (" GET / HTTP/1.1", 400),
    ])
    func `refuses the request line`(line: String, status: Int) async throws {
        let listener = try HTTPListener(port: 0) { _ in HTTPResponse(status: 200, body: Array("handled".utf8)) }
        let answer = try await converse(listener.port, "\(line)\r\nHost: a\r\n\r\n")
        #expect(!answer.contains("handled"))
        // The library closes without a word when it cannot make out a request line.
        #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 \(status) ") || answer.hasPrefix("HTTP/1.0 \(status) "))
        await listener.stop(draining: .zero)
    }

    @Test func `refuses values that are not UTF-8`() async throws {
        let listener = try HTTPListener(port: 0, handler: echo)
        let answer = try await blocking { [port = listener.port] in
            let connection = try RawConnection(port: port)
            try connection.send(Array("GET / HTTP/1.1\r\nHost: a\r\nX: ".utf8) + [0xFF] + Array("\r\n\r\n".utf8))
            return try connection.receiveAll()
        }
        #expect(answer.hasPrefix("HTTP/1.1 400 "))
        await listener.stop(draining: .zero)
    }

    @Test func `a refused request closes the connection, so what follows it is not read as a request`() async throws {
        let listener = try HTTPListener(port: 0) { HTTPResponse(status: 200, body: Array($0.target.utf8)) }
        let answer = try await converse(listener.port, "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n" + Self.smuggled)
        #expect(answer.contains("\r\nConnection: close\r\n"))
        #expect(!answer.contains("smuggled"))
        await listener.stop(draining: .zero)
    }

    @Test(arguments: [
        "1\r\nxy\r\n0\r\n\r\n", "+1\r\nx\r\n0\r\n\r\n", "0x1\r\nx\r\n0\r\n\r\n", "\r\nx\r\n", "-1\r\n",
        "ffffffffffffffffff\r\n",
    ])
    func `refuses a malformed chunk`(body: String) async throws {
        let listener = try HTTPListener(port: 0, limits: .withChunks) { _ in
            HTTPResponse(status: 200, body: Array("handled".utf8))
        }
        let answer = try await converse(
            listener.port,
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + body
        )
        #expect(!answer.contains("handled"))
        #expect(!answer.hasPrefix("HTTP/1.1 411 "))
        await listener.stop(draining: .zero)
    }
}
#endif
