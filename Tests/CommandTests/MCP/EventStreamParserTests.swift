// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import KeyboundCommand

@Suite("Streams of events, and lines")
struct EventStreamParserTests {
    private static func messages(_ text: String, _ parser: inout EventStreamParser) throws -> [String] {
        // Byte by byte: no piece may be special.
        try text.utf8.flatMap { try parser.take([$0]) }.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(arguments: ["\n", "\r", "\r\n"])
    func `the three line ends mean the same`(_ end: String) throws {
        var parser = EventStreamParser(maximumSize: 100)
        let lines = [
            "\u{FEFF}data: a", "data:b", "", ":data: c", "data", "data:  d", "", "event: other", "data: e", "",
            "data: f",
        ]
        #expect(try Self.messages(lines.map { $0 + end }.joined(), &parser) == ["a\nb", "\n d"])
    }

    @Test func `the identifier counts from the end of its event, and an empty one takes it back`() throws {
        var parser = EventStreamParser(maximumSize: 100)
        #expect(try Self.messages("id: 1\ndata: a\n\nid: 2\n", &parser) == ["a"])
        #expect(parser.lastEventID == "1")
        parser.reconnect()
        #expect(try Self.messages("id: ü\n\n", &parser).isEmpty && parser.lastEventID == "1")
        #expect(try Self.messages("id\n\n", &parser).isEmpty && parser.lastEventID == nil)
    }

    @Test(arguments: [("20000", 20_000), ("0", 500), ("1x", 1000), ("", 1000)])
    func `the server says how long to wait`(_ value: String, _ milliseconds: Int) throws {
        var parser = EventStreamParser(maximumSize: 100)
        _ = try Self.messages("retry: \(value)\n", &parser)
        #expect(parser.pause == .milliseconds(milliseconds))
    }

    @Test func `an event that is too long is an error, in one line or in several`() {
        for text in [String(repeating: "a", count: 101), String(repeating: "data: 123456789\n", count: 20)] {
            var parser = EventStreamParser(maximumSize: 100)
            #expect(throws: MCPFailure.self) { try Self.messages(text, &parser) }
        }
    }

    @Test func `lines end with a line break or the input, and one that is too long is dropped alone`() {
        var splitter = LineSplitter(maximumSize: 3)
        #expect(splitter.take(Array("ab".utf8)[...]).isEmpty)
        let lines = splitter.take(Array("c\n\n1234\n12\n56".utf8)[...])
        #expect(lines == [.whole(Array("abc".utf8)), .whole([]), .tooLong, .whole(Array("12".utf8))])
        #expect(splitter.end() == .whole(Array("56".utf8)) && splitter.end() == nil)
    }
}
