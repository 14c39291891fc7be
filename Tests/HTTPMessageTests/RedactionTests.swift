// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import Testing

@Suite("Messages in logs and dumps")
struct RedactionTests {
    private static let mark = "secret-7f3a"
    private static let fields: HTTPFields = [
        "Content-Type": "text/plain", "Authorization": "DPoP \(mark)", "DPoP": mark, "Cookie": "a=\(mark)",
        "Location": "https://app.example/?code=\(mark)", "X-Other": mark,
    ]

    private static func printed(_ value: Any) -> [String] {
        var dumped = ""
        dump(value, to: &dumped)
        return ["\(value)", String(reflecting: value), dumped]
    }

    @Test func `a request shows no field that may hold a secret, no query and no body`() {
        let request = HTTPRequest(
            method: "POST",
            target: "https://auth.example/token?code=\(Self.mark)",
            fields: Self.fields,
            body: Array(Self.mark.utf8)
        )
        for text in Self.printed(request) {
            #expect(!text.contains(Self.mark))
            // `dump` of bytes would have one line for each.
            #expect(!text.contains("115"))
            #expect(text.contains("POST") && text.contains("/token") && text.contains("text/plain"))
            #expect(text.contains("Authorization"))
        }
    }

    @Test func `a response shows no field that may hold a secret and no body`() {
        let response = HTTPResponse(status: 302, fields: Self.fields, body: Array(Self.mark.utf8))
        for text in Self.printed(response) {
            #expect(!text.contains(Self.mark) && !text.contains("115"))
            #expect(text.contains("302") && text.contains("Location") && text.contains("11 bytes"))
        }
    }

    @Test func `fields show their names, and values of harmless ones`() throws {
        for text in Self.printed(Self.fields) + Self.printed(try #require(Self.fields.all.last)) {
            #expect(!text.contains(Self.mark))
            #expect(text.contains("X-Other"))
        }
    }
}
