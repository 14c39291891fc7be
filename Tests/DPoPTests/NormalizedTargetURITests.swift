// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import TestSupport
import Testing

@testable import DPoP

@Suite("RFC 9449 section 4.3, check 9: URIs that are in normal form at first sight")
struct NormalizedTargetURITests {
    @Test func `what is taken as it is, is what the parser makes of it`() throws {
        let pieces = [
            "https://", "http://", "HTTPS://", "a", "A", "9", ".", "..", "-", "_", "/", "//", "/.", "/..", "?", "#",
            ":", ":443", ":80", ":8443", ":0443", ":00", ":65535", ":65536", ":99999999999999999999", "@", "%", "%41",
            "%2e", "%zz", "[::1]", "!", "=", "&", "é", " ", "\\", "\"", "~", "+",
            "example.com", "/a", "",
        ]
        let entropy = SeededEntropy()
        var plain = 0
        for number in 0..<5000 {
            let choices = entropy.bytes(8)
            let start = ["", "https://a.example", "http://a.example", "https://"][number % 4]
            let text = start + choices.prefix(Int(choices[7] % 8)).map { pieces[Int($0) % pieces.count] }.joined()
            let parsed = try? TargetURI(URI(parsing: text))
            if let prefix = NormalizedTargetURI.prefix(of: text) {
                plain += 1
                #expect(parsed?.description == String(prefix))
            }
            #expect((try? TargetURI(parsing: text)) == parsed)
            #expect((try? TargetURI(parsing: text))?.htu == parsed?.htu)
        }
        #expect(plain > 30)
    }

    @Test(
        arguments: [
            "https://a.example/", "https://api.example.com/notes", "https://a.example/b.c/d?e=f&g=/",
            "http://a.example/", "http://127.0.0.1:8080/notes", "https://a.example:80/", "http://a.example:65535/",
        ]
    )
    func `recognises`(text: String) {
        #expect(NormalizedTargetURI.prefix(of: text) != nil)
    }

    @Test(arguments: [
        "https://a.example", "https://a.example//", "https://a.example/.", "https://a.example/a/../b",
        "https://a.example:443/", "http://a.example:80/", "https://a.example:08/", "https://a.example:/",
        "https://a.example:65536/", "https://a.example:99999999999999999999/", "https://a.example:1x/",
        "https://A.example/", "https://a.example/%41", "https://a.example/?%zz", "https://a.example/#a", "https:///a",
        "https://a@b/",
    ])
    func `leaves to the parser`(text: String) {
        #expect(NormalizedTargetURI.prefix(of: text) == nil)
    }
}
