// SPDX-License-Identifier: Apache-2.0

import Gateway
import TestSupport
import Testing

@testable import Gateway

@Suite("Gateway: paths")
struct PlainPathTests {
    @Test(arguments: [
        ("/", []), ("/notes", ["notes"]), ("/notes/", ["notes"]), ("/notes/%7Eme%20x", ["notes", "~me%20x"]),
        ("/notes/%c3%a9", ["notes", "%C3%A9"]), ("/a/b.c/...", ["a", "b.c", "..."]), ("/%6Eotes", ["notes"]),
    ])
    func `paths that every program reads in the same way are read`(_ text: String, _ segments: [String]) {
        #expect(PlainPath(text)?.segments == segments)
    }

    @Test(arguments: [
        "", "notes", "//evil.test/notes", "/notes//x", "/notes/../payments", "/notes/./x", "/notes/%2e%2e/payments",
        "/notes/.%2e/payments", "/notes/..;/payments", "/notes;x", "/notes%3Bx", "/notes/a%2Fb", "/notes/a%2fb",
        "/notes%00", "/notes%0d%0a", "/notes%7f", "/notes\\x", "/notes%5Cx", "/notes/%zz", "/notes/%2", "/notes/%",
        "/notes/%252e%252e/payments", "/notes/\u{E9}", "/notes#x", "/notes x", "/notes/%2Ex", "/%C0%AFetc", "/%FF",
        "/notes/%c0%ae%c0%ae/payments",
    ])
    func `attack: paths that programs read in different ways are rejected`(_ text: String) {
        #expect(PlainPath(text) == nil)
    }

    @Test func `attack: an encoded slash that is allowed stays in its segment, and dot segments stay refused`() {
        let kept = PlainPath.Exceptions(encodedSlashes: true, semicolons: true)
        #expect(PlainPath("/notes/a%2fb", except: kept)?.segments == ["notes", "a%2Fb"])
        #expect(PlainPath("/notes/a;v=1", except: kept)?.segments == ["notes", "a;v=1"])
        for path in [
            "/notes/..;/payments", "/notes/..%3B/payments", "/notes/.;x", "/notes/;x", "/notes/%3bx", "/a/%2e%2e",
        ] {
            #expect(PlainPath(path, except: kept) == nil, "\(path)")
        }
    }

    /// RFC 3986 sections 2.4 and 5.2.4: programs that decode first resolve them.
    @Test(arguments: [
        "/notes/..%2Fpayments/y", "/notes/..%2fpayments", "/notes/x%2F..%2F..%2Fpayments%2Fy", "/notes/x%2F..",
        "/notes/.%2Fx", "/notes/x%2F.", "/notes/x%2F.%2Fy", "/notes/%2E%2E%2Fx", "/notes/%2e.%2Fx", "/notes/..%3B%2Fx",
        "/notes/..;%2Fx", "/notes/x%2F..;a=1", "/notes/x%2F;a", "/notes/%2Fx", "/notes/x%2F", "/notes/x%2F%2Fy", "/%2F",
        "/notes/x%2F..%5Cy", "/notes/..%252Fx",
    ])
    func `attack: encoded slashes that are allowed hide no dot segments and no empty ones`(_ text: String) {
        #expect(PlainPath(text, except: .init(encodedSlashes: true, semicolons: true)) == nil)
    }

    @Test func `dots that are part of a name may be beside an encoded slash`() {
        let kept = PlainPath.Exceptions(encodedSlashes: true)
        #expect(PlainPath("/notes/a.b%2Fc..d%2f...", except: kept)?.segments == ["notes", "a.b%2Fc..d%2F..."])
    }
}
