// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import AuthorizationServer

@Suite("RFC 6749 section 4.1.2.1: errors that are not sent to a redirect URI")
struct ErrorPageTests {
    private let html = ErrorPage(
        serverName: "Northwind ID",
        title: "This request has expired",
        explanation: "Go back to the app and start again.",
        code: "invalid_request",
        hint: "request_uri is used once and lives 60 seconds."
    ).html()

    @Test func `tells the user first and the developer below`() throws {
        let page = try PageReader(html)
        #expect(page.text(of: "title") == "Error: This request has expired – Northwind ID")
        #expect(page.text(of: "h1") == "This request has expired")
        #expect(page.text(of: "p") == "Go back to the app and start again.")
        #expect(page.text(of: "code") == "invalid_request")
        #expect(page.text(of: "details")?.contains("lives 60 seconds") == true)
    }

    @Test func `goes nowhere by itself and offers no way to go`() throws {
        let page = try PageReader(html)
        #expect(page.all("meta").allSatisfy { $0.attributes["http-equiv"] == nil })
        #expect(page.all("a").isEmpty)
        #expect(page.all("form").isEmpty)
    }
}
