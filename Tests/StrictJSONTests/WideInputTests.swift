// SPDX-License-Identifier: Apache-2.0

import JOSE
import StrictJSON
import TestSupport
import Testing

/// Input as large as the limits allow: an error of ours when it is one step over, and time that grows with the length.
@Suite("Wide, deep and long input")
struct WideInputTests {
    /// What 64 KiB of anything may take in a debug build, in seconds: ten times what it takes.
    private static let limit = 0.5

    private static func members(_ count: Int, _ name: (Int) -> String) -> [UInt8] {
        Array(("{" + (0..<count).map { "\"\(name($0))\":1" }.joined(separator: ",") + "}").utf8)
    }

    @Test func `16 levels are read and 17 are not, whatever they are made of`() throws {
        for (open, close, count) in [("[", "]", 16), (#"{"a":"#, "}", 16), (#"[{"a":"#, "}]", 8)] {
            let deepest = String(repeating: open, count: count) + "1" + String(repeating: close, count: count)
            #expect(try JSONValue(parsing: Array(deepest.utf8)).encoded() == Array(deepest.utf8))
            #expect(errorCode { try JSONValue(parsing: Array("[\(deepest)]".utf8)) } == .malformedJSON)
        }
        let open = [UInt8](repeating: UInt8(ascii: "["), count: 65_536)
        #expect(errorCode { try JSONValue(parsing: open) } == .malformedJSON)
    }

    @Test func `many members are told apart in time that grows with their number`() throws {
        let few = Self.members(700) { "\($0 + 1000)" }
        let many = Self.members(6000) { "\($0 + 1000)" }
        #expect(many.count <= 65_536)
        let fewSeconds = try ProcessorTime.leastSeconds(limit: 0.001) { _ = try JSONValue(parsing: few) }
        // Eight times the text; sixty-four times the work if each were compared with each.
        let limit = min(Self.limit, 30 * max(fewSeconds, 0.001))
        let manySeconds = try ProcessorTime.leastSeconds(limit: limit) { _ = try JSONValue(parsing: many) }
        #expect(manySeconds < limit)
        let last = Self.members(6000) { $0 == 5999 ? "1000" : "\($0 + 1000)" }
        #expect(errorCode { try JSONValue(parsing: last) } == .malformedJSON)
        // The first name again, in another spelling.
        let escaped = Self.members(6000) { $0 == 5999 ? "\\u0031000" : "\($0 + 1000)" }
        #expect(errorCode { try JSONValue(parsing: escaped) } == .malformedJSON)
    }

    @Test(arguments: ["a", "\\u0041", "\u{E9}", "\\\"", "\\ud83d\\ude00"])
    func `a string of 64 KiB is read and written in time`(piece: String) throws {
        let count = 65_534 / piece.utf8.count
        let text = Array("\"\(String(repeating: piece, count: count))\"".utf8)
        let seconds = try ProcessorTime.leastSeconds(limit: Self.limit) {
            let value = try JSONValue(parsing: text)
            #expect(value.stringValue?.unicodeScalars.count == count)
            #expect(try JSONValue(parsing: value.encoded()) == value)
        }
        #expect(seconds < Self.limit)
    }

    @Test func `an array of as many values as fit, and objects in objects, are read in time`() throws {
        let nested = "{" + (0..<24).map { #""\#($0)":"# }.map { $0 + "1" }.joined(separator: ",") + "}"
        for text in [
            "[" + String(repeating: "1,", count: 32_766) + "1]",
            "[" + String(repeating: "{},", count: 21_844) + "{}]",
            "[" + Array(repeating: nested, count: 65_000 / (nested.utf8.count + 1)).joined(separator: ",") + "]",
        ] {
            #expect(text.utf8.count <= 65_536)
            let bytes = Array(text.utf8)
            let seconds = try ProcessorTime.leastSeconds(limit: Self.limit) { _ = try JSONValue(parsing: bytes) }
            #expect(seconds < Self.limit)
        }
    }

    @Test func `a number of 32 characters is read and one of 33 is not`() throws {
        let longest = "1." + String(repeating: "0", count: 30)
        #expect(try JSONValue(parsing: Array(longest.utf8)).encoded() == Array(longest.utf8))
        #expect(errorCode { try JSONValue(parsing: Array((longest + "0").utf8)) } == .malformedJSON)
        let digits = [UInt8](repeating: UInt8(ascii: "9"), count: 65_536)
        let seconds = ProcessorTime.leastSeconds(limit: Self.limit) {
            #expect(errorCode { try JSONValue(parsing: digits) } == .malformedJSON)
        }
        #expect(seconds < Self.limit)
    }

    @Test func `base64url of a megabyte takes as long as sixteen of 64 KiB`() throws {
        let text = [UInt8](repeating: UInt8(ascii: "A"), count: 1 << 20)
        var decoded: [UInt8] = []
        let limit = 16 * Self.limit
        let seconds = try ProcessorTime.leastSeconds(limit: limit) { decoded = try Base64URL.decode(text[...]) }
        #expect(decoded.count == 3 << 18)
        #expect(seconds < limit)
        var wrong = text
        wrong[wrong.count - 1] = UInt8(ascii: "=")
        #expect(errorCode { try Base64URL.decode(wrong[...]) } == .malformedBase64)
    }

    @Test func `a set of 100 keys is read and one of 101 is not`() throws {
        let key = try TestKey.p256().publicKey
        for count in [100, 101] {
            let object: JSONObject = ["keys": .array(Array(repeating: .object(key.json), count: count))]
            #expect((try? JWKSet(parsing: object))?.keys.count == (count == 100 ? 100 : nil))
        }
    }
}
