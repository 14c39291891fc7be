// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
import Testing

@Suite("Search for a text in another one")
struct TextSearchTests {
    @Test(
        arguments: [
            ("a://b", "://", "a"), ("://", "://", ""), ("aaab", "aab", "a"), ("abc", "abcd", nil), ("", "a", nil),
            ("a", "", nil),
            ("é", "e", nil), ("\u{65}\u{301}%s", "%s", "\u{65}\u{301}"),
        ] as [(String, String, String?)]
    )
    func `the first occurrence`(_ text: String, _ wanted: String, _ before: String?) {
        #expect(text.firstRange(ofText: wanted).map { String(text[..<$0.lowerBound]) } == before)
        #expect(text.firstRange(ofText: wanted).map { String(text[$0]) } == (before == nil ? nil : wanted))
        #expect(text.contains(text: wanted) == (before != nil))
    }

    @Test func `a mark that combines with the last character hides nothing`() {
        #expect("a%2e\u{301}b".contains(text: "%2e"))
        #expect("a%2e\u{301}".replacing(text: "%2e", with: ".") == "a.\u{301}")
    }

    @Test func `every occurrence, from the left, and none in what was put there`() {
        #expect("aXXbXXXc".split(atText: "XX") == ["a", "b", "Xc"])
        #expect("XXaXX".split(atText: "XX") == ["", "a", ""])
        #expect("a".split(atText: "XX") == ["a"] && "".split(atText: "XX") == [""])
        #expect("%s %s".replacing(text: "%s", with: "%s%s") == "%s%s %s%s")
        #expect("a&amp;lt;"[...].replacing(text: "&amp;", with: "&") == "a&lt;")
    }
}
