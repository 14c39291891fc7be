// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import AuthorizationServer

@Suite("RFC 9700 section 4.11: names and values chosen by somebody else")
struct HostileNameTests {
    static let injections = [
        "<script>alert(1)</script>", "\"><script>alert(1)</script>", "'><img src=x onerror=alert(1)>",
        "</title><script>alert(1)</script>", "</style><script>alert(1)</script>",
        "\" onfocus=\"alert(1)\" autofocus x=\"",
        "--><svg onload=alert(1)>", "&lt;script&gt;", "&#x3C;script&#x3E;", "javascript:alert(1)", "${7*7}{{7*7}}",
        "a&b", "]]><b>", "\u{0}<b>", "<\u{0}b>",
    ]

    @Test(arguments: injections)
    func `adds no element and no attribute to any page`(text: String) throws {
        for (hostile, plain) in zip(SamplePages.everywhere(text), SamplePages.everywhere("plain")) {
            let elements = try PageReader(hostile).elements
            let expected = try PageReader(plain).elements
            #expect(elements.map(\.name) == expected.map(\.name))
            #expect(elements.map(Self.attributeNames) == expected.map(Self.attributeNames))
        }
    }

    /// Without `autofocus`, which moves when a name is not fit to be filled in.
    private static func attributeNames(_ element: PageReader.Element) -> Set<String> {
        Set(element.attributes.keys).subtracting(["autofocus"])
    }

    @Test func `shows markup in a name as the text it is`() throws {
        let page = try PageReader(SamplePages.login(client: "<b>\"Tom's\" & co</b>").html())
        #expect(page.element(withID: "purpose")?.text == "to continue to <b>\"Tom's\" & co</b>")
    }

    @Test func `gives hidden values back exactly`() throws {
        let value = "\"'<>&amp;\r\n\u{202E} \u{1F600}"
        let page = try PageReader(SamplePages.login(handle: value, token: value).html())
        #expect(page.input(named: "request")?.attributes["value"]?.utf8.elementsEqual(value.utf8) == true)
        #expect(page.input(named: "csrf_token")?.attributes["value"]?.utf8.elementsEqual(value.utf8) == true)
    }

    static let directions: [Unicode.Scalar] = [
        "\u{061C}", "\u{200E}", "\u{200F}", "\u{202A}", "\u{202B}", "\u{202C}", "\u{202D}", "\u{202E}", "\u{2066}",
        "\u{2067}", "\u{2068}", "\u{2069}",
    ]

    @Test(arguments: directions)
    func `shows a control of the reading direction as a replacement character`(control: Unicode.Scalar) throws {
        let name = "Acme\(control)gpj.exe"
        #expect(DisplayName(name, orElse: "-").text == "Acme\u{FFFD}gpj.exe")
        let html = SamplePages.consent(client: name, user: name, scopes: [ScopeText(name: "a", description: name)])
            .html()
        #expect(!html.unicodeScalars.contains(control))
    }

    @Test(arguments: [
        ("Acme\u{200B}Notes", "Acme\u{FFFD}Notes"), ("A\u{AD}\u{FEFF}\u{2060}B", "A\u{FFFD}B"),
        ("A\u{7}B", "A\u{FFFD}B"),
        ("A\u{3164}B", "A\u{FFFD}B"), ("A\u{E0041}B", "A\u{FFFD}B"), ("A\u{2800}B", "A\u{FFFD}B"),
        ("A\u{200D}B", "A\u{FFFD}B"), ("\u{E000}A", "\u{FFFD}A"),
    ])
    func `shows that something invisible is there`(name: String, shown: String) {
        #expect(DisplayName(name, orElse: "-").text == shown)
    }

    @Test(arguments: [
        ("  Acme \t\r\n\u{A0}\u{2028} Notes  ", "Acme Notes"), ("\r\n", "no name"), ("", "no name"),
        ("\u{200B}\u{202E}", "no name"), ("\u{301}\u{301}", "no name"),
    ])
    func `makes one line of a name`(name: String, shown: String) {
        #expect(DisplayName(name, orElse: "no name").text == shown)
    }

    @Test(arguments: [
        "Zażółć gęślą jaźń", "日本語アプリ", "שָׁלוֹם", "می\u{200C}خواهم", "👩\u{200D}👩\u{200D}👧", "❤\u{FE0F} Notes", "ไม้ไต่คู้",
        "Tom's & Co",
    ])
    func `leaves honest names of every script alone`(name: String) {
        let shown = DisplayName(name, orElse: "-")
        #expect(shown.text.utf8.elementsEqual(name.utf8))
        #expect(shown.isFaithful)
    }

    @Test func `cuts a name of five hundred letters`() throws {
        let shown = DisplayName(String(repeating: "W", count: 500), limit: 48, orElse: "-")
        #expect(shown.text == String(repeating: "W", count: 48) + "\u{2026}")
        #expect(!shown.isFaithful)
        let html = SamplePages.consent(client: String(repeating: "W", count: 500_000)).html()
        #expect(html.utf8.count < 8192)
    }

    @Test func `does not let marks pile up over other lines`() {
        let piled = "A" + String(repeating: "\u{0336}", count: 300) + "b"
        #expect(DisplayName(piled, orElse: "-").text.unicodeScalars.count == 6)
    }

    @Test func `keeps a right-to-left name from turning the sentence around`() {
        let html = SamplePages.consent(client: "\u{5D0}\u{5D1}").html()
        #expect(html.contains("<h1>Allow <bdi>\u{5D0}\u{5D1}</bdi> to use your account?</h1>"))
    }

    @Test(arguments: [("alice", "A"), ("ørsted", "Ø"), ("7of9", "7"), ("<script>", nil), ("\u{FFFD}", nil)])
    func `takes the initial of a name only when it is a letter or a digit`(name: String, initial: String?) {
        #expect(DisplayName(name, orElse: "-").initial == initial)
    }
}
