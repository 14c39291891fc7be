// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import Testing

@Suite("RFC 9110 section 8.3.1: media types")
struct MediaTypeTests {
    @Test(arguments: [
        "application/json", "Application/JSON", "application/json;charset=utf-8", "application/json ; charset=utf-8",
        "application/json\t;", " application/json\t", #"application/json; x="a;b""#,
    ])
    func `parameters, case and white space at the ends do not count`(_ value: String) {
        #expect(HTTPFields.isMediaType(value, "application/json"))
        #expect((["Content-Type": value] as HTTPFields).hasMediaType("application/json"))
    }

    @Test(arguments: [
        "", ";", "json", "application/", "application/jsonp", "application/json5", "xapplication/json", "text/json",
        "application/ json", "application /json", "application/json charset=utf-8", "application/json, text/html",
        "application/json\u{0B}", "application/\u{17F}on", "charset=utf-8; application/json",
        "application/problem+json",
    ])
    func `anything else is another type`(_ value: String) {
        #expect(!HTTPFields.isMediaType(value, "application/json"))
        #expect(!(["Content-Type": value] as HTTPFields).hasMediaType("application/json"))
    }

    @Test func `no letter beyond ASCII passes for one of it`() {
        // U+212A is a k and U+017F an s to whoever folds all of Unicode.
        #expect(!HTTPFields.isMediaType("application/\u{212A}", "application/k"))
        #expect(!HTTPFields.isMediaType("application/\u{17F}", "application/s"))
    }

    @Test func `a message without the field, or with two, has no type`() {
        #expect(!HTTPFields().hasMediaType("application/json"))
        var fields: HTTPFields = ["content-type": "application/json"]
        #expect(fields.hasMediaType("application/json"))
        fields.append(name: "Content-Type", value: "application/json")
        #expect(!fields.hasMediaType("application/json"))
    }
}
