// SPDX-License-Identifier: Apache-2.0

import JOSE
import StrictJSON
import Testing

@Suite("RFC 8259 section 4: member names, byte by byte")
struct JSONObjectTests {
    /// U+212A, which Swift's `==` takes for K.
    private let kelvin = "\u{212A}"

    @Test(arguments: [
        #"{"a":1,"a":2}"#, #"{"a":1,"\u0061":2}"#, #"{"\u0061":1,"a":2}"#, #"{"a":1,"b":2,"a":1}"#, #"{"":1,"":1}"#,
        #"{"x":{"a":1,"a":2}}"#, #"[{"a":1,"a":2}]"#, #"{"/":1,"\/":2}"#, #"{"😀":1,"\ud83d\ude00":2}"#,
    ])
    func `attack 98, refuses a name that occurs twice`(text: String) {
        #expect(errorCode { try JSONValue(parsing: Array(text.utf8)) } == .malformedJSON)
    }

    @Test(arguments: [2, 15, 16, 17, 18, 40])
    func `attack 98, refuses a name that occurs twice among many`(count: Int) throws {
        let names = (0..<count).map { "n\($0)" }
        let text = { (names: [String]) in Array("{\(names.map { "\"\($0)\":0" }.joined(separator: ","))}".utf8) }
        #expect(try JSONValue(parsing: text(names)).objectValue?.members.map(\.name) == names)
        for twice in names {
            let escaped = "\\u006e" + twice.dropFirst()
            for name in [twice, escaped] {
                #expect(
                    errorCode { try JSONValue(parsing: text(names + [name])) } == .malformedJSON
                )
                #expect(
                    errorCode { try JSONValue(parsing: text([name] + names)) } == .malformedJSON
                )
            }
        }
    }

    @Test func `names that only look alike are two names`() throws {
        let filler = (0..<20).map { ",\"n\($0)\":0" }.joined()
        for rest in ["", filler] {
            let text = "{\"K\":1,\"\(kelvin)\":2,\"\u{e9}\":3,\"e\u{301}\":4,\"a\":5,\"A\":6\(rest)}"
            let object = try #require(try JSONValue(parsing: Array(text.utf8)).objectValue)
            #expect(object["K"] == 1)
            #expect(object[kelvin] == 2)
            #expect(object["\u{e9}"] == 3)
            #expect(object["e\u{301}"] == 4)
            #expect(object["A"] == 6)
        }
    }

    @Test func `a look-alike is not the member`() throws {
        let object = try #require(try JSONValue(parsing: Array("{\"\(kelvin)\":1}".utf8)).objectValue)
        #expect(object["K"] == nil)
        #expect(object["\(kelvin)"] == 1)
    }

    @Test func `objects whose names or strings only look alike are not equal`() {
        let (k, other): (JSONObject, JSONObject) = (["K": 1], ["\u{212A}": 1])
        #expect(k != other)
        #expect(JSONValue.string("K") != JSONValue.string(kelvin))
        #expect(Set<JSONValue>(["K", .string(kelvin), "K"]).count == 2)
        #expect(JSONValue.array([.object(k)]) != JSONValue.array([.object(other)]))
    }

    @Test func `setting, replacing and removing keep the order`() {
        var object: JSONObject = ["a": 1, "b": 2, "c": 3]
        object["b"] = 20
        object["d"] = 4
        object["a"] = nil
        object["nothing"] = nil
        #expect(object.members.map(\.name) == ["b", "c", "d"])
        #expect(JSONValue.object(object).encoded() == Array(#"{"b":20,"c":3,"d":4}"#.utf8))
        object["d"] = .null
        #expect(object["d"] == .null)
    }

    @Test func `the last of equal names in a literal stays`() {
        let object: JSONObject = ["a": 1, "a": 2]
        let value: JSONValue = ["a": 1, "a": 2]
        #expect(object["a"] == 2)
        #expect(object.members.count == 1)
        #expect(value == .object(object))
    }

    @Test func `a value is what it is and nothing else`() {
        let values: [JSONValue] = [.null, true, 1, "1", [], [:]]
        #expect(values.map { $0.boolValue != nil } == [false, true, false, false, false, false])
        #expect(values.map { $0.integerValue != nil } == [false, false, true, false, false, false])
        #expect(values.map { $0.stringValue != nil } == [false, false, false, true, false, false])
        #expect(values.map { $0.arrayValue != nil } == [false, false, false, false, true, false])
        #expect(values.map { $0.objectValue != nil } == [false, false, false, false, false, true])
        #expect(JSONValue.strings(["a", "b"]) == ["a", "b"])
    }
}
