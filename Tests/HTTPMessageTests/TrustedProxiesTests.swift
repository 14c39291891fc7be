// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import Testing

@Suite("Who a proxy speaks for, RFC 7239")
struct TrustedProxiesTests {
    private func client(
        peer: String?,
        _ fields: HTTPFields,
        field: ForwardedField = .xForwardedFor
    ) throws -> String? {
        let ranges = try ["127.0.0.0/8", "10.0.0.0/8", "2001:db8:aaaa::/48"].map {
            try #require(IPAddressRange(parsing: $0))
        }
        let request = HTTPRequest(target: "/", fields: fields, peerAddress: peer)
        return TrustedProxies(ranges, field: field).clientAddress(of: request)?.description
    }

    @Test func `nobody else is believed`() throws {
        #expect(try client(peer: "203.0.113.5", ["X-Forwarded-For": "192.0.2.1"]) == "203.0.113.5")
        #expect(try client(peer: "203.0.113.5", ["X-Forwarded-For": "127.0.0.1"]) == "203.0.113.5")
        #expect(try client(peer: nil, ["X-Forwarded-For": "192.0.2.1"]) == nil)
        #expect(try client(peer: "not an address", ["X-Forwarded-For": "192.0.2.1"]) == nil)
    }

    @Test func `a request through a socket in the file system comes from a proxy, which names the client`() {
        let proxies = TrustedProxies()
        let named = HTTPRequest(target: "/", fields: ["X-Forwarded-For": "192.0.2.1"], isFromUnixSocket: true)
        #expect(proxies.sent(named))
        #expect(proxies.clientAddress(of: named)?.description == "192.0.2.1")
        #expect(proxies.clientAddress(of: HTTPRequest(target: "/", isFromUnixSocket: true)) == nil)
        // A missing address alone is no proof of that.
        #expect(!proxies.sent(HTTPRequest(target: "/")))
    }

    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1"), ("192.0.2.1:4711", "192.0.2.1"), ("2001:db8::7", "2001:db8::7"),
        ("[2001:db8::7]:4711", "2001:db8::7"), ("[2001:db8::7]", "2001:db8::7"),
        // What stands left of the right-most strange address, its sender may have made up.
        ("198.51.100.1, 192.0.2.1", "192.0.2.1"), ("10.0.0.1, 192.0.2.1, 10.0.0.2", "192.0.2.1"),
        ("198.51.100.1,192.0.2.1 ,10.0.0.2,\t10.0.0.3", "192.0.2.1"), ("192.0.2.1, 2001:db8:aaaa::1", "192.0.2.1"),
        // Nobody strange: the one furthest away.
        ("10.0.0.9, 10.0.0.2", "10.0.0.9"),
        // What is no address ends the search: what stands left of it is nobody's word.
        ("192.0.2.1, unknown", "127.0.0.1"), ("192.0.2.1, , 10.0.0.2", "10.0.0.2"), ("", "127.0.0.1"),
        ("192.0.2.1, 1.2.3.4:port", "127.0.0.1"), ("192.0.2.1, [::1]evil", "127.0.0.1"),
        ("192.0.2.1, [::1", "127.0.0.1"),
        ("192.0.2.1, \"10.0.0.1\"", "127.0.0.1"),
        // The field has no quoted strings, so the client cannot hide what the proxy added.
        ("\", 192.0.2.1", "192.0.2.1"), ("\"198.51.100.1, 192.0.2.1, 10.0.0.2", "192.0.2.1"),
        ("\"x\\, 192.0.2.1", "192.0.2.1"),
    ])
    func `X-Forwarded-For of a proxy is read from the right`(value: String, expected: String) throws {
        #expect(try client(peer: "127.0.0.1", ["X-Forwarded-For": value]) == expected)
        #expect(try client(peer: "::ffff:127.0.0.1", ["x-forwarded-for": value]) == expected)
    }

    @Test(
        arguments: [
            ("192.0.2.1", "192.0.2.1"), ("\", 192.0.2.1", "192.0.2.1"), ("unknown", "127.0.0.1"), ("", "127.0.0.1"),
            ("192.0.2.1, unknown, 10.0.0.2", "10.0.0.2"), ("10.0.0.9", nil), (nil, nil),
        ] as [(String?, String?)]
    )
    func `what is not an address counts as the proxy, and a proxy that asks for itself is not limited`(
        value: String?,
        expected: String?
    ) throws {
        let ranges = try ["127.0.0.0/8", "10.0.0.0/8"].map { try #require(IPAddressRange(parsing: $0)) }
        let proxies = TrustedProxies(ranges)
        let fields: HTTPFields = value.map { ["X-Forwarded-For": $0] } ?? [:]
        let request = HTTPRequest(target: "/", fields: fields, peerAddress: "127.0.0.1")
        #expect(proxies.limitedAddress(of: request)?.description == expected)
        let both = proxies.addresses(of: request)
        #expect(both.client == proxies.clientAddress(of: request))
        #expect(both.limited?.description == expected)
    }

    @Test func `limits count others by their own address, and all strange fields of a socket as one`() {
        let stranger = HTTPRequest(target: "/", fields: ["X-Forwarded-For": "unknown"], peerAddress: "203.0.113.5")
        #expect(TrustedProxies.loopback.limitedAddress(of: stranger)?.description == "203.0.113.5")
        let strange = HTTPRequest(target: "/", fields: ["X-Forwarded-For": "unknown"], isFromUnixSocket: true)
        #expect(TrustedProxies.loopback.limitedAddress(of: strange)?.description == "::")
        let silent = HTTPRequest(target: "/", isFromUnixSocket: true)
        #expect(TrustedProxies.loopback.limitedAddress(of: silent) == nil)
    }

    @Test func `several fields are one list`() throws {
        let fields: HTTPFields = ["X-Forwarded-For": "192.0.2.1", "X-Forwarded-For": "192.0.2.2, 10.0.0.1"]
        #expect(try client(peer: "127.0.0.1", fields) == "192.0.2.2")
    }

    @Test(arguments: [
        ("for=192.0.2.1", "192.0.2.1"), ("For=\"192.0.2.1:80\";proto=https;by=10.0.0.1", "192.0.2.1"),
        ("for=\"[2001:db8::7]:4711\"", "2001:db8::7"), ("for=198.51.100.1, for=192.0.2.1", "192.0.2.1"),
        ("proto=https;for=192.0.2.1, for=10.0.0.1", "192.0.2.1"), ("for=_hidden", "127.0.0.1"),
        ("for=192.0.2.1;for=192.0.2.2", "127.0.0.1"), ("by=192.0.2.1", "127.0.0.1"), ("for=\"192.0.2.1", "127.0.0.1"),
        // A comma within quotation marks is none between elements, so the client cannot end its element early.
        ("for=\"x, for=192.0.2.1\"", "127.0.0.1"), ("for=\"\\\"192.0.2.1\"", "127.0.0.1"),
        // A quotation mark that the client left open does not hide what the proxy added.
        ("\", for=192.0.2.1", "192.0.2.1"), ("for=\"x, for=\"[2001:db8::7]:4711\"", "2001:db8::7"),
        ("for=\"x\\, for=\"192.0.2.1:80\";proto=https, for=10.0.0.1", "192.0.2.1"),
    ])
    func `Forwarded of a proxy is read from the right`(value: String, expected: String) throws {
        #expect(try client(peer: "127.0.0.1", ["Forwarded": value], field: .forwarded) == expected)
    }

    /// nginx sets the one and passes the other on: read both, and the client chooses its address.
    @Test func `the field that the proxies do not set is not read`() throws {
        let fields: HTTPFields = ["Forwarded": "for=198.51.100.1", "X-Forwarded-For": "192.0.2.1"]
        #expect(try client(peer: "127.0.0.1", fields) == "192.0.2.1")
        #expect(try client(peer: "127.0.0.1", fields, field: .forwarded) == "198.51.100.1")
        #expect(try client(peer: "127.0.0.1", ["Forwarded": "for=198.51.100.1"]) == "127.0.0.1")
    }

    @Test func `of a long list the nearest 32 are read`() throws {
        let value = (["192.0.2.1"] + Array(repeating: "10.0.0.1", count: 40)).joined(separator: ",")
        #expect(try client(peer: "127.0.0.1", ["X-Forwarded-For": value]) == "10.0.0.1")
    }
}
