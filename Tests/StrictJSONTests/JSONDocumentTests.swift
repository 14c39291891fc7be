// SPDX-License-Identifier: Apache-2.0

import JOSE
import StrictJSON
import Testing

@Suite("RFC 8259: objects that were read and not yet unfolded")
struct JSONDocumentTests {
    private func object(_ text: String) throws -> JSONObject {
        try #require(try JSONValue(parsing: Array(text.utf8)).objectValue)
    }

    @Test func `finds members behind others, whatever lies in those`() throws {
        let object = try object(
            #" { "a" : {"z":[1,{"b":2}]} , "b" : [ {"c":3} ] , "c" : "x" , "é" : null , "\u0064" : true } "#
        )
        #expect(object["a"]?.objectValue?["z"] == [1, ["b": 2]])
        #expect(object["b"] == [["c": 3]])
        #expect(object["c"] == "x")
        #expect(object["é"] == .null)
        #expect(object["d"] == true)
        for name in ["z", "", "e\u{301}", "A", "\\u0064", "x", "cc"] { #expect(object[name] == nil) }
        #expect(object.members.map(\.name) == ["a", "b", "c", "é", "d"])
    }

    @Test func `is the same as one that was built`() throws {
        let built: JSONObject = ["a": 1, "b": ["c": "\n"]]
        let read = try object(#"{"a":1,"b":{"c":"\n"}}"#)
        #expect(read == built)
        #expect(Set([read, built]).count == 1)
        #expect(JSONValue.object(read).encoded() == JSONValue.object(built).encoded())
        #expect(try object(#"{"b":{"c":"\n"},"a":1}"#) != built)
    }

    @Test func `can be changed, and its copy stays`() throws {
        let read = try object(#"{"a":1,"b":2,"c":3}"#)
        var changed = read
        changed["b"] = nil
        changed["a"] = "x"
        changed["d"] = 4
        #expect(changed == ["a": "x", "c": 3, "d": 4])
        #expect(read == ["a": 1, "b": 2, "c": 3])
    }

    @Test(arguments: [2, 15, 16, 17, 24, 25, 100, 3000])
    func `a name that occurs twice is rejected in objects of any size, escaped or not`(count: Int) throws {
        let members = (0..<count - 1).map { #""name\#($0)":{}"# }
        for twin in [#""name0":1"#, #""n\u0061me0":1"#, #""\u006eame\#(count - 2)":1"#] {
            let text = "{" + (members + [twin]).joined(separator: ",") + "}"
            #expect(errorCode { try JSONValue(parsing: Array(text.utf8)) } == .malformedJSON)
        }
        let text = "{" + (members + [#""Name0":1"#]).joined(separator: ",") + "}"
        #expect(try object(text).members.count == count)
    }

    @Test func `a name is told from those that differ in one byte or in length`() throws {
        for length in 0..<20 {
            let name = [UInt8](repeating: UInt8(ascii: "n"), count: length)
            let others = (0..<length).map { place in
                var other = name
                other[place] = UInt8(ascii: "m")
                return other
            }
            let names = others + [name + [UInt8(ascii: "n")], name]
            let members = names.enumerated().map { "\"\(String(decoding: $1, as: UTF8.self))\":\($0)" }
            let object = try object("{" + members.joined(separator: ",") + "}")
            for (number, name) in names.enumerated() {
                #expect(object[String(decoding: name, as: UTF8.self)] == .number(JSONNumber(Int64(number))))
            }
            #expect(object[String(repeating: "n", count: length + 2)] == nil)
        }
    }

    @Test func `names that look alike at first sight are told apart, and the empty one counts`() throws {
        // The same length, and three times the first byte and the last one come to the same.
        #expect(try object(#"{"ac":1,"b`":2,"axc":3,"bx`":4}"#).members.count == 4)
        for text in [#"{"ac":1,"b`":2,"ac":3}"#, #"{"":1,"":2}"#, #"{"":1,"a":2,"":3}"#, #"{"a":1,"\u0061":2}"#] {
            #expect(errorCode { try JSONValue(parsing: Array(text.utf8)) } == .malformedJSON)
        }
        #expect(try object(#"{"":1,"a":2}"#)[""] == 1)
    }

    @Test func `an empty object takes members`() {
        var object = JSONObject()
        #expect(object.members.isEmpty && object["a"] == nil && object == [:])
        object["a"] = 1
        object["a"] = nil
        #expect(object.members.isEmpty && object["a"] == nil)
    }

    @Test func `special bytes are found at every distance`() throws {
        for length in 0..<40 {
            let plain = String(repeating: "x", count: length)
            for (text, value) in [("\\n", "\n"), ("\\\"", "\""), ("é", "é"), ("\u{7f}", "\u{7f}"), ("!#[]", "!#[]")] {
                let parsed = try JSONValue(parsing: Array("\"\(plain)\(text)\(plain)\"".utf8))
                #expect(parsed == .string(plain + value + plain))
                #expect(try JSONValue(parsing: parsed.encoded()) == parsed)
            }
            for byte in Array(UInt8(0)..<0x20) + [0x80, 0xFF] {
                let text = Array("\"\(plain)".utf8) + [byte] + Array("\(plain)\"".utf8)
                #expect(errorCode { try JSONValue(parsing: text) } == .malformedJSON)
            }
        }
    }
}
