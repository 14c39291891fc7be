// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import Testing

@Suite("RFC 3986 section 3: components of a URI")
struct URITests {
    @Test func `takes a full URI apart without decoding`() throws {
        let uri = try URI(parsing: "HTTPS://us%20er:pw@Example.COM:8443/a%2Fb/%7e;x?q=%41&r=a/b?c#f/?g")
        #expect(uri.scheme == "HTTPS")
        #expect(uri.userinfo == "us%20er:pw")
        #expect(uri.host == "Example.COM")
        #expect(uri.port == 8443)
        #expect(uri.path == "/a%2Fb/%7e;x")
        #expect(uri.query == "q=%41&r=a/b?c")
        #expect(uri.fragment == "f/?g")
        #expect(uri.description == "HTTPS://us%20er:pw@Example.COM:8443/a%2Fb/%7e;x?q=%41&r=a/b?c#f/?g")
    }

    @Test func `tells an absent component from an empty one`() throws {
        let bare = try URI(parsing: "com.example.app:/callback")
        #expect(bare.host == nil)
        #expect(bare.query == nil)
        #expect(bare.fragment == nil)
        #expect(bare.path == "/callback")
        let empty = try URI(parsing: "https://a?#")
        #expect(empty.path == "")
        #expect(empty.query == "")
        #expect(empty.fragment == "")
        #expect(try URI(parsing: "https://a:/").port == nil)
        #expect(try URI(parsing: "file:///etc").host == "")
        #expect(try URI(parsing: "https://@a/").userinfo == "")
    }

    /// The examples of section 1.1.2.
    @Test(arguments: [
        "ftp://ftp.is.co.za/rfc/rfc1808.txt", "http://www.ietf.org/rfc/rfc2396.txt",
        "ldap://[2001:db8::7]/c=GB?objectClass?one",
        "mailto:John.Doe@example.com", "news:comp.infosystems.www.servers.unix", "tel:+1-816-555-1212",
        "telnet://192.0.2.16:80/", "urn:oasis:names:specification:docbook:dtd:xml:4.1.2", "http://[v1.fe80::a+en1]/",
        "a:",
        "urn:ietf:params:oauth:request_uri:6esc_11ACC5bwc014ltc14eY22c",
    ])
    func `accepts what the RFC gives as examples`(text: String) throws {
        #expect(try URI(parsing: text).description == text)
    }

    @Test(arguments: [
        "", ":", "/path", "//host/path", "1a:b", "a_b:c", "example.com", "https:", "https:/a", "https:///a", "http://",
        "http://?q",
        "https://:443/", "https://user@/", "https://a b/", "https://a/b c", "https://a/\t", "https://a/\u{0}",
        "https://a\\b/",
        "https://a/\\b", "https://a/%", "https://a/%4", "https://a/%4g", "https://a/%zz", "https://a?%",
        "https://a#%g0",
        "https://%/", "https://a/\u{FC}", "https://\u{FC}.example/", "https://a:b/", "https://a:65536/",
        "https://a:-1/",
        "https://a:99999999999999999999/", "https://a@b@c/", "https://a@[::1]@c/", "https://[::1/", "https://[::1]x/",
        "https://[::1]]/", "https://[fe80::1%25eth0]/", "https://[1.2.3.4]/", "https://[]/", "https://[v.x]/",
        "https://[v1.]/",
        "https://a]/", "https://a[b]/", "https://a/[", "https://a/]", "https://a/<x>", "https://a/\"", "https://a/{x}",
        "https://a/|",
        "https://a/^", "https://a/`", "https://a/#a#b", "https://a?[", "https://[::1]:x/", "https://a/\u{7F}",
        " https://a/",
        "https://a/ ", "https://a/\r\n", "ht tp://a/", "https://[:::1]/", "https://[1::2::3]/", "https://[12345::]/",
        "https://[1:2:3:4:5:6:7]/", "https://[1:2:3:4:5:6:7:8:9]/", "https://[1:2:3:4:5:6:7:8::]/",
        "https://[::256.0.0.1]/",
        "https://[1.2.3.4::]/", "https://[:1:2:3:4:5:6:7]/", "https://[1:2:3:4:5:6:7:]/", "https://[::01.2.3.4]/",
    ])
    func `refuses what is not a URI by the grammar`(text: String) {
        let error = #expect(throws: HTTPMessageError.self) { try URI(parsing: text) }
        #expect(error?.code == .malformedURI)
    }

    @Test func `counts the length in bytes and stops at 8 KiB`() throws {
        let longest = "https://a/" + String(repeating: "x", count: 8182)
        #expect(try URI(parsing: longest).path.utf8.count == 8183)
        #expect(throws: HTTPMessageError.self) { try URI(parsing: longest + "x") }
        #expect(throws: HTTPMessageError.self) { try URI(parsing: String(repeating: "\u{1F600}", count: 3000)) }
    }

    @Test func `an error never repeats the text`() {
        let error = #expect(throws: HTTPMessageError.self) { try URI(parsing: "https://a/?code=s3cret value") }
        #expect(error.map { "\($0)".contains("s3cret") } == false)
    }

    @Test(arguments: [
        ("http://127.0.0.1:8080/cb", true), ("http://127.255.0.3/", true), ("http://[::1]/", true),
        ("http://[0:0:0:0:0:0:0:1]:9/", true), ("http://localhost/", false), ("http://127.0.0.1.example/", false),
        ("http://127.1/", false), ("http://0177.0.0.1/", false), ("http://128.0.0.1/", false), ("http://[::2]/", false),
        ("http://[::ffff:127.0.0.1]/", false), ("http://127.0.0.256/", false), ("urn:127.0.0.1", false),
        ("http://2130706433/", false),
    ])
    func `knows a loopback IP literal`(text: String, expected: Bool) throws {
        #expect(try URI(parsing: text).isLoopbackIPLiteral == expected)
    }

    @Test(arguments: [
        ("HTTPS://Auth.Example.COM:443/x?y", "https://auth.example.com"), ("http://a:80", "http://a"),
        ("http://a:443/", "http://a:443"), ("https://u@[2001:DB8::0:1]:8443/", "https://[2001:db8::1]:8443"),
    ])
    func `has the origin of an http or https URI`(text: String, expected: String) throws {
        #expect(try URI(parsing: text).origin == expected)
    }

    @Test func `has no origin for other schemes`() throws {
        #expect(try URI(parsing: "com.example.app://host/").origin == nil)
        #expect(try URI(parsing: "urn:a").origin == nil)
    }

    @Test(arguments: [
        ("https://a", "https://a?x=1+2&y=%26"), ("https://a/p", "https://a/p?x=1+2&y=%26"),
        ("https://a/p?", "https://a/p?x=1+2&y=%26"), ("https://a/p?k=%7e", "https://a/p?k=%7e&x=1+2&y=%26"),
        ("https://a/p?k&", "https://a/p?k&x=1+2&y=%26"), ("https://a/p#f", "https://a/p?x=1+2&y=%26#f"),
        ("https://a/p?k#f?g", "https://a/p?k&x=1+2&y=%26#f?g"), ("app:/cb", "app:/cb?x=1+2&y=%26"),
    ])
    func `adds parameters to the query and keeps what is there`(text: String, expected: String) throws {
        let original = try URI(parsing: text)
        let longer = original.appendingQuery(["x": "1 2", "y": "&"])
        #expect(longer.description == expected)
        let again = try URI(parsing: expected)
        #expect(longer == again)
        #expect(longer.query == again.query)
        #expect(longer.fragment == again.fragment)
        #expect(longer.path == original.path)
        #expect(original.appendingQuery([:]) == original)
    }
}
