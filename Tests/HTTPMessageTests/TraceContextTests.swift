// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import Testing

@Suite("traceparent (W3C Trace Context)")
struct TraceContextTests {
    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let good = "00-\(trace)-00f067aa0ba902b7-01"

    @Test(arguments: [good, "00-\(trace)-00f067aa0ba902b7-00", "cc-\(trace)-00f067aa0ba902b7-01-what.the-future"])
    func `a valid field names its trace and is passed on as it came`(_ text: String) throws {
        let context = try #require(TraceContext(parsing: text))
        #expect(context.traceID == Self.trace)
        #expect(context.value == text)
    }

    @Test(arguments: [
        "", "00", trace, good + "-", good + "-00", good + "0", String(good.dropLast()),
        "ff-\(trace)-00f067aa0ba902b7-01", "0g-\(trace)-00f067aa0ba902b7-01", "00_\(trace)-00f067aa0ba902b7-01",
        "00-\(trace.uppercased())-00f067aa0ba902b7-01", "00-\(trace)-00F067AA0BA902B7-01",
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01", "00-\(trace)-0000000000000000-01",
        "00-\(trace)-00f067aa0ba902b7-0x", "cc-\(trace)-00f067aa0ba902b7-01.", "cc-\(trace)-00f067aa0ba902b7-01-a b",
        "cc-\(trace)-00f067aa0ba902b7-01-\n\"admin\":1",
        "cc-\(trace)-00f067aa0ba902b7-01-" + String(repeating: "a", count: 73),
    ])
    func `attack: another text is no trace, and comes into no log`(_ text: String) {
        #expect(TraceContext(parsing: text) == nil)
    }

    @Test func `the longest field of a later version has 128 bytes`() {
        let text = "cc-\(Self.trace)-00f067aa0ba902b7-01-" + String(repeating: "a", count: 72)
        #expect(text.utf8.count == 128)
        #expect(TraceContext(parsing: text) != nil)
    }

    @Test func `two fields are none`() {
        #expect(TraceContext(["Traceparent": Self.good])?.traceID == Self.trace)
        #expect(TraceContext(HTTPFields()) == nil)
        var fields: HTTPFields = ["traceparent": Self.good]
        fields.append(name: "traceparent", value: Self.good)
        #expect(TraceContext(fields) == nil)
    }

    @Test func `the current trace is that of the task`() async {
        #expect(TraceContext.current == nil)
        let inside = await TraceContext.withCurrent(TraceContext(parsing: Self.good)) {
            await Task { TraceContext.current?.traceID }.value
        }
        #expect(inside == Self.trace)
        #expect(TraceContext.current == nil)
    }
}
