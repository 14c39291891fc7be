// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import Testing

@Suite("RFC 3986 section 6.2: normalised URIs")
struct URINormalizationTests {
    @Test(arguments: [
        ("HTTP://www.EXAMPLE.com/", "http://www.example.com/"), ("http://example.com", "http://example.com/"),
        ("http://example.com:/", "http://example.com/"), ("http://example.com:80/", "http://example.com/"),
        ("https://example.com:443?q", "https://example.com/?q"), ("https://example.com:80/", "https://example.com:80/"),
        ("https://example.com:0443/", "https://example.com/"), ("ws://A:80", "ws://a:80/"),
        ("eXAMPLE://a/./b/../b/%63/%7bfoo%7d", "example://a/b/c/%7Bfoo%7D"),
        ("https://a/%7Esmith/home.html", "https://a/~smith/home.html"), ("https://a/%2f", "https://a/%2F"),
        ("https://a/a%2Fb", "https://a/a%2Fb"), ("https://a/a/%2e%2E/b", "https://a/b"),
        ("https://a/%252F", "https://a/%252F"),
        ("https://a/A", "https://a/A"), ("https://a/b/", "https://a/b/"), ("https://a/b//c", "https://a/b//c"),
        ("https://a//evil.example/x", "https://a//evil.example/x"),
        ("https://a/..//evil.example", "https://a//evil.example"),
        ("https://%41%2D%c3%bc.EXAMPLE/", "https://a-%C3%BC.example/"), ("https://u%73er%3a@A/", "https://user%3A@a/"),
        ("https://a/?%7e%2f&b=%2B#%7E%ff", "https://a/?~%2F&b=%2B#~%FF"), ("https://a/?../b", "https://a/?../b"),
        ("https://a?", "https://a/?"), ("urn:Example:a%2Fb", "urn:Example:a%2Fb"), ("app:/cb/../x", "app:/x"),
        ("a:", "a:"), ("a:..", "a:"), ("a:..//b", "a:/b"), ("a:./b", "a:b"), ("https://A.:443", "https://a./"),
        ("https://a/%00", "https://a/%00"),
    ])
    func `brings equivalent texts to one`(text: String, expected: String) throws {
        #expect(try URI(parsing: text).normalized().description == expected)
    }

    /// The examples of section 5.4, resolved against `http://a/b/c/d;p?q`, as far as they are about dots.
    @Test(arguments: [
        ("/b/c/.", "/b/c/"), ("/b/c/./", "/b/c/"), ("/b/c/..", "/b/"), ("/b/c/../", "/b/"), ("/b/c/../g", "/b/g"),
        ("/b/c/../..", "/"), ("/b/c/../../", "/"), ("/b/c/../../g", "/g"), ("/b/c/../../../g", "/g"),
        ("/b/c/../../../../g", "/g"), ("/./g", "/g"), ("/../g", "/g"), ("/b/c/g.", "/b/c/g."), ("/b/c/.g", "/b/c/.g"),
        ("/b/c/g..", "/b/c/g.."), ("/b/c/..g", "/b/c/..g"), ("/b/c/./../g", "/b/g"), ("/b/c/./g/.", "/b/c/g/"),
        ("/b/c/g/./h", "/b/c/g/h"), ("/b/c/g/../h", "/b/c/h"), ("/b/c/g;x=1/./y", "/b/c/g;x=1/y"),
        ("/b/c/g;x=1/../y", "/b/c/y"), ("/a/b/c/./../../g", "/a/g"), ("/a//../b", "/a/b"), ("/..", "/"), ("/.", "/"),
    ])
    func `removes dot segments`(path: String, expected: String) throws {
        #expect(try URI(parsing: "http://a" + path).normalized().path == expected)
    }

    /// RFC 5952 section 4 and 5.
    @Test(arguments: [
        ("2001:0db8:0:0:0:0:2:1", "2001:db8::2:1"), ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"),
        ("2001:db8::1:1:1:1:1", "2001:db8:0:1:1:1:1:1"), ("2001:0:0:1:0:0:0:1", "2001:0:0:1::1"),
        ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"), ("2001:DB8::ABCD", "2001:db8::abcd"), ("::", "::"),
        ("0:0:0:0:0:0:0:0", "::"), ("1::", "1::"), ("::FFFF:c000:0201", "::ffff:192.0.2.1"),
        ("64:ff9b::192.0.2.33", "64:ff9b::c000:221"),
        ("::1.2.3.4", "::102:304"), ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"), ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"),
    ])
    func `writes an IPv6 address in its canonical form`(address: String, expected: String) throws {
        #expect(try URI(parsing: "https://[\(address)]:443").normalized().description == "https://[\(expected)]/")
    }

    @Test func `lower-cases the letters of a future address`() throws {
        #expect(try URI(parsing: "a://[V1F.A:b]").normalized().host == "[v1f.a:b]")
    }

    @Test(arguments: ["a:/.//b", "a:/x/..//b", "a:/%2e//b"])
    func `refuses a path that would read as a host`(text: String) throws {
        let uri = try URI(parsing: text)
        let error = #expect(throws: HTTPMessageError.self) { try uri.normalized() }
        #expect(error?.code == .malformedURI)
    }

    @Test func `normalising twice changes nothing more and keeps the path segments`() throws {
        var random = SeededBytes(seed: 1)
        let pieces = [
            "/", "/", ".", "..", "%2e", "%2F", "%2f", "a", "B", "%41", "%7e", "%c3", ":", "@", ";", "%25", "%2",
        ]
        var tried = 0
        for _ in 0..<2000 {
            let path = (0..<Int.random(in: 0...8, using: &random)).map { _ in pieces.randomElement(using: &random) ?? ""
            }
            for start in ["https://Example.com/", "app:", "x://H", "app:/"] {
                guard let uri = try? URI(parsing: start + path.joined()), let once = try? uri.normalized() else {
                    continue
                }
                tried += 1
                #expect(try once.normalized() == once)
                #expect(
                    once.host == uri.host.map { try? URI(parsing: "x://\($0)").normalized().host } ?? nil
                )
                #expect(try URI(parsing: once.description).path == once.path)
                #expect(!once.path.split(separator: "/").contains { $0 == "." || $0 == ".." })
            }
        }
        #expect(tried > 2000)
    }
}
