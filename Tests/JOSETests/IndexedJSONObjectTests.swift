// SPDX-License-Identifier: Apache-2.0

import OAuthCrypto
import OAuthSystem
import Testing

@testable import JOSE
@testable import StrictJSON

@Suite("RFC 8259: objects whose members are found in one pass")
struct IndexedJSONObjectTests {
    private func object(_ text: String) throws -> IndexedJSONObject {
        try #require(IndexedJSONObject(try JSONDocument.parse(Array(text.utf8).span, limits: .standard)))
    }

    @Test func `gives each member once, in order, however its name is spelled`() throws {
        let names = ["", "a", "jti", "jti\u{0}", "12345678", "123456789", "12345678\u{0}", "é", "j\"t\\i", "x y"]
        for escaped in [false, true] {
            let members = names.enumerated().map { number, name in
                let spelled = name.unicodeScalars.map { scalar in
                    escaped || scalar.value < 0x20 || scalar == "\"" || scalar == "\\"
                        ? "\\u" + String(String(scalar.value + 0x10000, radix: 16).suffix(4)) : String(scalar)
                }
                return "\"\(spelled.joined())\":\(number)"
            }
            let object = try object("{" + members.joined(separator: ",") + "}")
            var found: [String] = []
            var places: [Int] = []
            object.forEachMember { name, place in
                found.append(name.text)
                places.append(place)
            }
            #expect(found == names)
            #expect(object.object.members.map(\.name) == names)
            // A name and a number are two values, the object is the first one.
            #expect(places == names.indices.map { 2 * $0 + 2 })
        }
    }

    @Test(arguments: [
        ("jti", true), ("jti\u{0}", false), ("jt", false), ("jtj", false), ("Jti", false), ("", false),
        ("jtijtijti", false),
    ])
    func `a short name is told from all others`(name: String, isSame: Bool) {
        #expect(name.withUTF8Span { JSONName.with($0) { $0 == "jti" } } == isSame)
    }

    @Test(arguments: [
        ("authorization", true), ("authorizatioN", false), ("authorizations", false), ("authoriz", false),
        ("authorizatio\u{0}", false),
    ])
    func `a long name is compared to its end`(name: String, isSame: Bool) {
        #expect(name.withUTF8Span { JSONName.with($0) { $0 == "authorization" } } == isSame)
    }

    @Test func `nothing stands at place zero`() throws {
        let object = try object(#"{"a":"b"}"#)
        #expect(object.string(at: 0) == nil)
        #expect(!object.isString(at: 0, identicalTo: ""))
        #expect(object.bytes32(at: 0) == nil)
        object.readString(at: 0) { _ in Issue.record("there is no string") }
        #expect(try object.optionalDate("iat", at: 0) == nil)
        #expect(throws: Never.self) { try object.requireStringIfPresent("a", at: 0) }
        #expect(throws: JOSEError.self) { try object.requireString("a", at: 0) }
    }

    @Test(arguments: ["[]", "\"{}\"", "1", "null"])
    func `another value is no object`(text: String) throws {
        let document = try JSONDocument.parse(Array(text.utf8).span, limits: .standard)
        #expect(IndexedJSONObject(document) == nil)
    }
}
