// SPDX-License-Identifier: Apache-2.0

import JOSE
import StrictJSON
import Testing

@Suite("RFC 8259: reading JSON strictly")
struct JSONReaderTests {
    @Test(
        arguments: [
            ("null", .null), (" true ", true), ("\t\r\nfalse", false), ("0", 0), ("-0", .number(JSONNumber("-0"))),
            ("-1", -1), ("9223372036854775807", .number(JSONNumber(Int64.max))),
            ("\"\"", ""), (#""a\"\\\/\b\f\n\r\tz""#, "a\"\\/\u{8}\u{c}\n\r\tz"), (#""\u00e9\u20AC""#, "é€"),
            (#""\ud83d\ude00""#, "😀"), (#""\uD83D\uDE00""#, "😀"), ("\"😀é\u{7f}\"", "😀é\u{7f}"), (#""\u0000""#, "\0"),
            (#""\u2028""#, "\u{2028}"), ("\"\u{feff}\"", "\u{feff}"),
            ("[]", []), ("[ ]", []), ("{}", [:]), ("{ }", [:]), ("[1,[2,{}]]", [1, [2, [:]]]),
            (#"{ "a" : 1 , "b" : [ ] }"#, ["a": 1, "b": []]), (#"{"":0}"#, ["": 0]),
        ] as [(String, JSONValue)]
    )
    func `reads`(text: String, value: JSONValue) throws {
        #expect(try JSONValue(parsing: Array(text.utf8)) == value)
    }

    @Test(arguments: ["1.5", "1e2", "1E+2", "-1.25e-3", "0.0", "1e-400", "123456789012345678901234567890"])
    func `keeps a number as it was written`(text: String) throws {
        let value = try JSONValue(parsing: Array(text.utf8))
        #expect(value.encoded() == Array(text.utf8))
        #expect(value.integerValue == nil)
    }

    @Test(arguments: [
        "", " ", "tru", "True", "nul", "nulll", "truefalse", "NaN", "Infinity", "-Infinity", "undefined", "'a'",
        "+1", "01", "-01", "00", "1.", ".5", "-", "-.5", "1e", "1e+", "1.e1", "0x10", "1_000", "1 2", "１",
        "1e400", "-1e400", "1e99999999999999999999", "123456789012345678901234567890123",
        "\"", "\"a", "\"a\\", "\"\\\"", #""\x""#, #""\u12""#, #""\u12G4""#, #""\u+123""#, #""\U0041""#, "\"\n\"",
        "\"\t\"", "\"\0\"", #""\'""#,
        #""\ud800""#, #""\udc00""#, #""\ud800x""#, #""\ud800\n""#, #""\ud800\ud800""#, #""\ud800\u0041""#,
        #""\udc00\ud800""#, #""\ud83d"#,
        "[", "]", "[1", "[1,", "[1,]", "[,1]", "[,]", "[1 2]", "[1;2]", "[1}", "(1)",
        "{", "}", #"{"a"}"#, #"{"a":}"#, #"{"a":1"#, #"{"a":1,}"#, #"{,"a":1}"#, #"{"a" 1}"#, #"{a:1}"#, #"{1:1}"#,
        #"{'a':1}"#, #"{"a":1]"#, #"{"a":1 "b":2}"#, #"{"a":1;"b":2}"#, #"{"a"=1}"#, #"{null:1}"#,
        "{}{}", "{}x", "{}\0", "[] []", "null,", "// c\n1", "1/**/", "#\n1", "\u{a0}1", "\u{2028}1", "\u{b}1", "\u{c}1",
        "\u{feff}{}", "{}\u{feff}", "\u{feff}",
    ])
    func `refuses`(text: String) throws {
        let error = try #require(throws: StrictJSONError.self) { try JSONValue(parsing: Array(text.utf8)) }
        #expect(error.code == .malformedJSON)
        let offset = try #require(error.offset)
        #expect((0...text.utf8.count).contains(offset))
    }

    @Test(arguments: [
        ("", 0), (" ", 1), ("x", 0), ("[1,]", 3), ("[1", 2), ("{} x", 3), (#"{"a" 1}"#, 5), (#"{"a":1,}"#, 7),
        ("{\n  \"é\": 1\n  \"b\"", 14), (#"{"a":1,"a":2}"#, 13), ("\u{feff}{}", 0),
    ])
    func `the error says at which byte`(text: String, offset: Int) throws {
        let error = try #require(throws: StrictJSONError.self) { try JSONValue(parsing: Array(text.utf8)) }
        #expect(error.offset == offset)
        #expect(error.reason == "\(error.problem), at byte \(offset)")
        #expect(error.description == "malformedJSON: \(error.reason)")
    }

    @Test func `an error without a position has no offset`() throws {
        let limits = JSONLimits(maximumSize: 1)
        let error = try #require(throws: StrictJSONError.self) { try JSONValue(parsing: [0x5B, 0x5D], limits: limits) }
        #expect(error.code == .tooLarge && error.offset == nil && error.reason == error.problem)
        let encoding = try #require(throws: StrictJSONError.self) { try Base64URL.decode("a") }
        #expect(encoding.offset == nil && encoding.reason == encoding.problem)
    }

    @Test(
        arguments: [
            [0xFF], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF],
            [0xED, 0xA0, 0xBD, 0xED, 0xB8, 0x80], [0xF0, 0x80, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80],
            [0xF5, 0x80, 0x80, 0x80],
            [0xC3], [0xE2, 0x82], [0x80],
        ] as [[UInt8]]
    )
    func `refuses bytes that are not UTF-8, in values, names and beside escapes`(bytes: [UInt8]) {
        let quote = UInt8(ascii: "\"")
        let texts = [
            [quote] + bytes + [quote], [quote] + Array(#"\n"#.utf8) + bytes + [quote],
            Array("{\"".utf8) + bytes + Array("\":1}".utf8), bytes,
        ]
        for text in texts {
            #expect(errorCode { try JSONValue(parsing: text) } == .malformedJSON)
        }
    }

    @Test func `UTF-16 is not read`() {
        for text: [UInt8] in [[0xFF, 0xFE, 0x31, 0], [0xFE, 0xFF, 0, 0x31], [0x31, 0], [0, 0x31]] {
            #expect(errorCode { try JSONValue(parsing: text) } == .malformedJSON)
        }
    }

    @Test func `nests as deep as the limit and no deeper`() throws {
        let arrays = { (depth: Int) in String(repeating: "[", count: depth) + String(repeating: "]", count: depth) }
        let objects = { (depth: Int) in
            String(repeating: #"{"a":"#, count: depth) + "1" + String(repeating: "}", count: depth)
        }
        for make in [arrays, objects] {
            _ = try JSONValue(parsing: Array(make(16).utf8))
            for depth in [17, 20_000] {
                let text = Array(make(depth).utf8)
                let limits = JSONLimits(maximumSize: 1 << 20)
                #expect(
                    errorCode { try JSONValue(parsing: text, limits: limits) } == .malformedJSON
                )
            }
        }
        #expect(throws: Never.self) {
            try JSONValue(parsing: Array("[[1],[2],[3],{}]".utf8), limits: JSONLimits(maximumDepth: 2))
        }
    }

    @Test func `reads a text as long as the limit and no longer`() {
        let limits = JSONLimits(maximumSize: 8)
        #expect(
            errorCode { try JSONValue(parsing: Array(#""123456""#.utf8), limits: limits) }
                == nil
        )
        #expect(
            errorCode { try JSONValue(parsing: Array(#""123456" "#.utf8), limits: limits) }
                == .tooLarge
        )
    }

    @Test func `an error tells where and not what`() {
        let secret = Array(#"{"token":"kba_secret","token":1}"#.utf8)
        #expect {
            try JSONValue(parsing: secret)
        } throws: { error in
            "\(error)".contains("byte") && !"\(error)".contains("secret")
        }
    }
}

extension JSONNumber {
    fileprivate init(_ literal: String) {
        let value = try? JSONValue(parsing: Array(literal.utf8))
        if case .number(let number) = value { self = number } else { self.init(Int64.min) }
    }
}
