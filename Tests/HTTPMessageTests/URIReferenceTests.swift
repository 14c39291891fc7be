// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import Testing

@Suite("References that are resolved against a URI")
struct URIReferenceTests {
    @Test(
        arguments: [
            ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
            ("/g", "http://a/g"), ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
            ("#s", "http://a/b/c/d;p?q#s"), ("g#s", "http://a/b/c/g#s"), ("g?y#s", "http://a/b/c/g?y#s"),
            (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"), ("g;x?y#s", "http://a/b/c/g;x?y#s"),
            ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"),
            ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../", "http://a/"),
            ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("/./g", "http://a/g"), ("/../g", "http://a/g"),
            ("g.", "http://a/b/c/g."), ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"),
            ("./g/.", "http://a/b/c/g/"),
            ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"), ("g;x=1/../y", "http://a/b/c/y"),
            ("g?y/../x", "http://a/b/c/g?y/../x"), ("g#s/../x", "http://a/b/c/g#s/../x"), ("http:g", nil),
        ] as [(String, String?)]
    )
    func `RFC 3986 section 5 4: the examples of the RFC`(_ reference: String, _ expected: String?) throws {
        let base = try URI(parsing: "http://a/b/c/d;p?q")
        // The last one names the scheme of the base without a host: an http URI has one (RFC 9110 section 4.2.1).
        #expect((try? URIReference(reference).resolved(against: base))?.description == expected)
    }

    @Test(arguments: [
        ("http://u@[::1]:8080", "a?b", "http://u@[::1]:8080/a?b"),
        ("https://a.example?x=1", "", "https://a.example?x=1"),
        ("https://a.example/", "//b.example:1/c", "https://b.example:1/c"),
        ("https://a.example/a/b", "HTTPS://b.example/../c", "HTTPS://b.example/c"),
        ("https://a.example/", "/ü x\"|?\\", "https://a.example/%C3%BC%20x%22%7C?%5C"),
    ])
    func `takes authority and path from where they are`(_ base: String, _ reference: String, _ expected: String) throws
    {
        #expect(try URIReference(reference).resolved(against: URI(parsing: base)).description == expected)
    }

    @Test(arguments: ["//", "/%2", "/\u{7F}", "//a b:x/", "/[", "//u@v@w/"])
    func `refuses what becomes no URI`(_ reference: String) throws {
        let base = try URI(parsing: "https://a.example/")
        #expect(throws: HTTPMessageError.self) { try URIReference(reference).resolved(against: base) }
    }
}
