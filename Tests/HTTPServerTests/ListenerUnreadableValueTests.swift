// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import HTTPServer
import TestSupport
import Testing

@Suite("RFC 9110 section 5.5: values that are no text, for a listener that replaces them")
struct ListenerUnreadableValueTests {
    private func reply(to lines: [[UInt8]], limits: HTTPListenerLimits) async throws -> String {
        let listener = try HTTPListener(port: 0, limits: limits, handler: echo)
        let text = try await blocking { [port = listener.port] in
            let connection = try RawConnection(port: port)
            try connection.send(Array((lines + [[], []]).joined(separator: [13, 10])))
            return try connection.receiveAll()
        }
        await listener.stop(draining: .zero)
        return text
    }

    private var replacing: HTTPListenerLimits {
        var limits = HTTPListenerLimits()
        limits.replacesUnreadableValues = true
        return limits
    }

    private static let start = ["GET / HTTP/1.1", "Connection: close"].map { Array($0.utf8) }

    @Test(arguments: [[0xE9], [0xFF, 0x20], [0xC3], [0x01], [0x7F], [0x1B, 0x5B], [0xEF, 0xBF, 0xBD]] as [[UInt8]])
    func `a value that is no text is replaced as a whole, and the others stay`(_ bytes: [UInt8]) async throws {
        let lines =
            Self.start + [
                Array("Host: a".utf8), Array("X: b".utf8) + bytes + Array("c".utf8), Array("Y: d ".utf8),
                Array("Z: \u{E9}".utf8),
            ]
        let answer = try await reply(to: lines, limits: replacing)
        #expect(answer.contains("\nX: \u{FFFD}|\nY: d|\nZ: \u{E9}|\n"))
        let strict = try await reply(to: lines, limits: HTTPListenerLimits())
        #expect(strict.hasPrefix("HTTP/1.1 400 "))
    }

    @Test(arguments: [
        ("Host: a", "X: b\rc"), ("Host: a", "X: b\u{0}c"), ("Host: a", "X: b\u{0}\u{1}"), ("Host: a\u{1}", "X: b"),
        ("Host: \u{E9}", "X: b"), ("Host: a", "Content-Length: 0\u{1}"), ("Host: a", "Content-Length: \u{FFFD}"),
        ("Host: a", "Transfer-Encoding: chunked\u{1}"), ("Host: a", "X\u{1}: b"), ("Host: a", "X\u{E9}: b"),
    ])
    func `attack: ends of lines, names, and what says where a request ends are not relaxed`(
        _ host: String,
        _ field: String
    ) async throws {
        let lines = Self.start + [Array(host.utf8), Array(field.utf8)]
        let answer = try await reply(to: lines, limits: replacing)
        #expect(!answer.contains("\nbody="))
        #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 400 "))
    }
}
#endif
