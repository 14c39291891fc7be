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

    @Test func `reads 4 and 16 bytes`() throws {
        #expect(IPAddress(octets: [192, 0, 2, 1])?.description == "192.0.2.1")
        let octets: [UInt8] = [0x20, 1, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7]
        #expect(IPAddress(octets: octets)?.description == "2001:db8::7")
        #expect(IPAddress(octets: Array(octets.dropLast())) == nil && IPAddress(octets: []) == nil)
    }

    @Test(arguments: [
        "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "172.15.255.255", "172.32.0.0",
        "192.0.1.0", "198.17.255.255", "198.20.0.0", "223.255.255.255", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8",
        "2002:0808:0808::1", "2606:4700::1111", "2001:200::1", "2a00::1", "3ffe:ffff::1",
    ])
    func `everybody reaches`(text: String) throws {
        #expect(try #require(IPAddress(parsing: text)).isGloballyReachable)
    }

    @Test(arguments: [
        "0.0.0.0", "10.0.0.1", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.255.254", "169.254.169.254",
        "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1",
        "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
        "::ffff:127.0.0.1", "64:ff9b::10.0.0.1", "64:ff9b:1::1", "2002:7f00:0001::", "2002:a9fe:a9fe::1", "::", "::1",
        "::127.0.0.1", "100::1", "2001::1", "2001:1ff:ffff::1", "2001:db8::1", "3fff::1", "4000::1", "5f00::1",
        "fc00::1",
        "fd12::1", "fe80::1", "fec0::1", "ff02::1",
    ])
    func `not everybody reaches`(text: String) throws {
        #expect(try !#require(IPAddress(parsing: text)).isGloballyReachable)
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
