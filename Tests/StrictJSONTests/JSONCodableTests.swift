// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrictJSON
import Testing

@Suite("Values with the encoders and decoders of others")
struct JSONCodableTests {
    @Test(arguments: [
        "null", "true", "[]", "{}", "[null,false,1,-2.5,\"x\"]", #"{"a":{"b":[1,{"c":"d"}]},"e":1e3}"#,
    ])
    func `a value survives a property of another type`(_ text: String) throws {
        let value = try JSONValue(parsing: Array(text.utf8))
        let coded = try JSONDecoder().decode([String: JSONValue].self, from: JSONEncoder().encode(["value": value]))
        let read = try #require(coded["value"])
        #expect(Self.canonical(read) == Self.canonical(value))
    }

    /// The same with numbers as floating-point values, whose spelling may change.
    private static func canonical(_ value: JSONValue) -> String {
        switch value {
        case .number(let number): "\(number.double)"
        case .array(let values): "[" + values.map(canonical).joined(separator: ",") + "]"
        case .object(let object):
            "{" + object.members.map { $0.name + ":" + canonical($0.value) }.sorted().joined(separator: ",") + "}"
        default: String(decoding: value.encoded(), as: UTF8.self)
        }
    }

    @Test func `an object has the order of its names`() throws {
        let object = try JSONDecoder().decode(JSONObject.self, from: Data(#"{"b":1,"a":"x"}"#.utf8))
        #expect(object.members.map(\.name) == ["a", "b"])
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(JSONObject.self, from: Data("[1]".utf8)) }
    }
}
