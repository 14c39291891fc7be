// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthSystem
import Testing

@testable import KeyboundCommand

@Suite("Times, durations and text of others")
struct TextTests {
    @Test(arguments: [
        (0, "1970-01-01T00:00:00Z"), (1_562_262_616, "2019-07-04T17:50:16Z"), (951_782_400, "2000-02-29T00:00:00Z"),
        (-1, "1969-12-31T23:59:59Z"), (4_107_542_400, "2100-03-01T00:00:00Z"),
        (253_402_300_799, "9999-12-31T23:59:59Z"),
        (-62_167_219_200, "0000-01-01T00:00:00Z"),
    ])
    func `a time is written and read`(seconds: Int64, text: String) {
        #expect(TimeText.text(of: Timestamp(secondsSince1970: seconds)) == text)
        #expect(TimeText.parse(text) == Timestamp(secondsSince1970: seconds))
    }

    @Test(arguments: [
        "2019-07-04T19:50:16+02:00", "2019-07-04T12:20:16-05:30", "2019-07-04 17:50:16Z", "2019-07-04t17:50:16.999z",
        "1562262616",
    ])
    func `other forms of RFC 3339 are read`(text: String) {
        #expect(TimeText.parse(text) == Timestamp(secondsSince1970: 1_562_262_616))
    }

    @Test(arguments: [
        "", "now", "2019-07-04", "2019-02-29T00:00:00Z", "2019-13-01T00:00:00Z", "2019-07-04T24:00:00Z",
        "2019-07-04T17:50:16", "2019-07-04T17:50:16+2", "2019-07-04T17:50:16Zx", "2019-07-04T17:50:16.Z",
    ])
    func `what is no time is rejected`(text: String) {
        #expect(TimeText.parse(text) == nil)
    }

    @Test(arguments: [("90s", 90), ("5m", 300), ("8h", 28_800), ("30d", 2_592_000), ("45", 45), ("0s", 0)])
    func `a duration is read`(text: String, seconds: Int64) {
        #expect(DurationText.parse(text) == .seconds(seconds))
    }

    @Test(arguments: ["", "s", "-5s", "5 m", "1.5h", "5w", "99999999999999999999", "9223372036854775807d"])
    func `what is no duration is rejected`(text: String) {
        #expect(DurationText.parse(text) == nil)
    }

    @Test(arguments: [
        (0, "less than a second"), (1, "1 second"), (250, "4 minutes 10 seconds"), (90_061, "1 day 1 hour"),
    ])
    func `a duration is said in words`(seconds: Int64, words: String) {
        #expect(DurationText.words(.seconds(seconds)) == words)
    }

    @Test(arguments: [
        ("plain ünïcode", "plain ünïcode"), ("\u{1B}[31m", "\\u{1b}[31m"), ("\u{9B}2J", "\\u{9b}2J"),
        ("a\u{202E}b", "a\\u{202e}b"), ("line\nbreak", "line\\u{a}break"),
    ])
    func `text of others cannot act on a terminal`(text: String, shown: String) {
        #expect(SafeText.of(text) == shown)
    }

    @Test(arguments: [
        ("serv", "serve"), ("clent", "client"), ("sevre", "serve"), ("--passwor", "--password-file"), ("xyz", nil),
    ])
    func `a misspelled word is guessed`(word: String, guess: String?) {
        #expect(NearestWord.to(word, among: ["serve", "client", "--password-file", "--json"]) == guess)
    }
}
