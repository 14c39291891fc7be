// SPDX-License-Identifier: Apache-2.0

import DPoP
import HTTPMessage
import ProofSuite
import Testing

@Suite("RFC 9449 section 4.3, check 9: the target URI")
struct TargetURITests {
    @Test(arguments: [
        ("https://a.example", "https://a.example/"), ("https://a.example/", "https://a.example/"),
        ("https://a.example?q", "https://a.example/"), ("https://a.example#f", "https://a.example/"),
        ("HTTP://A.EXAMPLE:80/Path", "http://a.example/Path"), ("http://a.example:443/", "http://a.example:443/"),
        ("https://a.example:8443/x/", "https://a.example:8443/x/"),
        ("https://a.example:08443/", "https://a.example:8443/"),
        ("https://[2001:DB8:0:0::1]:443/x", "https://[2001:db8::1]/x"),
        ("https://127.0.0.1:9000/x", "https://127.0.0.1:9000/x"),
        ("https://xn--bcher-kva.example/", "https://xn--bcher-kva.example/"),
        ("https://a.example/%7Euser", "https://a.example/~user"),
        ("https://a.example/a%2fb", "https://a.example/a%2Fb"),
        ("https://a.example/%E2%82%ac", "https://a.example/%E2%82%AC"),
        ("https://a.example/a/b/../c", "https://a.example/a/c"), ("https://a.example/a/b/..", "https://a.example/a/"),
        ("https://a.example/%2e%2e/a", "https://a.example/a"), ("https://a.example/a//b", "https://a.example/a//b"),
        ("https://a.example/%252e", "https://a.example/%252e"),
        ("https://a.example/a%2F..", "https://a.example/a%2F.."),
    ])
    func `is normalised, query and fragment dropped`(text: String, expected: String) throws {
        let uri = try TargetURI(parsing: text)
        #expect(uri.description == expected)
        #expect(try TargetURI(parsing: uri.description) == uri)
    }

    @Test(arguments: [
        ("https://a.example", "https://a.example/"), ("https://a.example?q", "https://a.example/"),
        ("HTTPS://A.EXAMPLE:443/Path?q#f", "https://a.example/Path"),
        ("http://a.example:0080/", "http://a.example/"), ("https://a.example:08443", "https://a.example:8443/"),
        ("https://[2001:DB8:0:0::1]/%2d", "https://[2001:db8::1]/%2d"),
        ("https://a.example/%7Euser/%2D", "https://a.example/%7Euser/%2D"),
        ("https://a.example/a%2fb/%c3%BC", "https://a.example/a%2fb/%c3%BC"),
        ("https://A.example/a/../b/./%2e%2e/c?d", "https://a.example/a/../b/./%2e%2e/c"),
        ("https://a.example/notes", "https://a.example/notes"),
    ])
    func `htu is the URI as it is sent, and the same resource`(text: String, htu: String) throws {
        let uri = try TargetURI(parsing: text)
        #expect(uri.htu == htu)
        let again = try TargetURI(parsing: htu)
        #expect(again == uri)
        #expect(again.hashValue == uri.hashValue)
        #expect(again.htu == htu)
    }

    @Test func `another spelling is equal, and stays another spelling`() throws {
        let (first, second) = try (
            TargetURI(parsing: "https://a.example/%2d"), TargetURI(parsing: "https://a.example/-")
        )
        #expect(first == second)
        #expect(Set([first, second]).count == 1)
        #expect(first.htu != second.htu)
    }

    @Test(arguments: [
        ("https://a.example/a", "https://a.example/a/"), ("https://a.example/a", "https://a.example/A"),
        ("https://a.example/a", "http://a.example/a"), ("https://a.example/a", "https://a.example:444/a"),
        ("https://a.example/a/b", "https://a.example/a%2Fb"), ("https://a.example/", "https://a.example./"),
        ("https://a.example/a", "https://b.example/a"), ("https://a.example/a", "https://a.example/a;b"),
        ("https://127.0.0.1/", "https://[::1]/"), ("https://127.0.0.1/", "https://127.1/"),
        ("https://a.example/%00", "https://a.example/"),
        ("https://a.example/a//b", "https://a.example/a/b"),
    ])
    func `differs`(first: String, second: String) throws {
        #expect(try TargetURI(parsing: first) != TargetURI(parsing: second))
    }

    @Test(arguments: [
        "", "/", "/path", "//a.example/", "a.example/", "https:", "https://", "https:///a", "https:a.example",
        "https:/a",
        "ftp://a.example/", "urn:a:b", "mailto:a@example.com", "javascript:alert(1)", "file:///a", "ws://a.example/",
        "https://user@a.example/", "https://user:password@a.example/", "https://@a.example/",
        "https://a.example@b.example/",
        "https://a.example//b", "https://a.example/a/..//b", "https://a.example/.//b", "https://a.example:65536/",
        "https://a.example:x/", "https://a.example/ ", "https://a.example\\b", "https://a.example/%",
        "https://a.example/%zz",
        "https://a.example/ä", "https://ä.example/", "https://[::1/", "https://::1/", "https://[fe80::1%25eth0]/",
        "https://a.example/\n", "\u{feff}https://a.example/",
    ])
    func `refuses`(text: String) {
        #expect(failure { try TargetURI(parsing: text) }?.code == .invalidTargetURI)
    }

    @Test func `refuses a URI of more than 8 KiB`() {
        #expect(
            failure { try TargetURI(parsing: "https://a.example/" + String(repeating: "a", count: 8192)) }?.code
                == .invalidTargetURI
        )
    }

    @Test func `the text and the URI give the same`() throws {
        #expect(try TargetURI(URI(parsing: "HTTPS://A.example?q")) == TargetURI(parsing: "https://a.example/"))
    }
}
