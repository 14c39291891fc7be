// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import Testing

@Suite("Addresses and ranges of them, RFC 4291 and RFC 4632")
struct IPAddressTests {
    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1"), ("0.0.0.0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"),
        ("::ffff:192.0.2.1", "192.0.2.1"), ("::FFFF:c000:0201", "192.0.2.1"), ("::", "::"), ("::1", "::1"),
        ("2001:DB8:0:0:1::1", "2001:db8::1:0:0:1"),
        ("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
    ])
    func `says the canonical text`(text: String, canonical: String) throws {
        let address = try #require(IPAddress(parsing: text))
        #expect(address.description == canonical)
        #expect(IPAddress(parsing: canonical) == address)
    }

    @Test(arguments: [
        "", "1.2.3", "1.2.3.4.5", "01.2.3.4", "1.2.3.256", "1.2.3.4 ", "[::1]", "fe80::1%eth0", "::1::",
        "1:2:3:4:5:6:7",
        "localhost", "0x7f.1", "2130706433",
    ])
    func `reads nothing else`(text: String) {
        #expect(IPAddress(parsing: text) == nil)
    }

    @Test func `a subscriber is one IPv4 address, or a 64th of IPv6`() throws {
        func subscriber(_ text: String) throws -> String {
            try #require(IPAddress(parsing: text)).subscriber.description
        }
        #expect(try subscriber("192.0.2.7") == "192.0.2.7")
        #expect(try subscriber("2001:db8:1:2:3:4:5:6") == "2001:db8:1:2::")
        #expect(try subscriber("2001:db8:1:2::") == "2001:db8:1:2::")
        #expect(try subscriber("::1") == "::")
    }

    @Test(arguments: [
        ("10.0.0.0/8", "10.255.0.1", "11.0.0.0"), ("192.0.2.7", "192.0.2.7", "192.0.2.8"),
        ("192.0.2.0/31", "192.0.2.1", "192.0.2.2"), ("192.0.2.0/24", "::ffff:192.0.2.9", "::ffff:192.0.3.0"),
        ("2001:db8::/32", "2001:db8:ffff::1", "2001:db9::"),
        ("2001:db8:0:1::/64", "2001:db8:0:1:ffff::", "2001:db8:0:2::"),
        ("2001:db8::ff00/120", "2001:db8::ffff", "2001:db8::fe00"), ("0.0.0.0/0", "1.2.3.4", "::1"),
        ("::1", "::1", "::2"),
    ])
    func `a range holds what begins alike`(range: String, inside: String, outside: String) throws {
        let parsed = try #require(IPAddressRange(parsing: range))
        #expect(parsed.contains(try #require(IPAddress(parsing: inside))))
        #expect(!parsed.contains(try #require(IPAddress(parsing: outside))))
        #expect(IPAddressRange(parsing: parsed.description) == parsed)
    }

    @Test(arguments: [
        "10.0.0.1/8", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/+8", "/8", "::/129", "::1/64", "1.2.3.4/8/8",
        "",
    ])
    func `a range that says two things is none`(text: String) {
        #expect(IPAddressRange(parsing: text) == nil)
    }
}
