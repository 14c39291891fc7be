// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import Testing

@Suite("HTTP messages as values")
struct HTTPRequestTests {
    @Test(arguments: [
        ("/a%2Fb?x=%zz?y", "/a%2Fb", "x=%zz?y"), ("/a", "/a", nil), ("/a?", "/a", ""),
        // A combining mark makes one Character of the question mark and itself.
        ("/a?\u{301}b", "/a", "\u{301}b"),
    ])
    func `splits a target at the first question mark`(target: String, path: String, query: String?) {
        let request = HTTPRequest(target: target)
        #expect(request.path.utf8.elementsEqual(path.utf8))
        #expect(request.query.map { Array($0.utf8) } == query.map { Array($0.utf8) })
    }

    @Test func `finds fields without case and keeps several apart`() {
        var fields: HTTPFields = ["DPoP": "a", "Host": "b", "dpop": "c"]
        #expect(fields.values(for: "DPOP") == ["a", "c"])
        #expect(fields["host"] == "b")
        #expect(fields["hos"] == nil)
        fields["DPoP"] = "d"
        #expect(fields.values(for: "dpop") == ["d"])
        fields["Host"] = nil
        fields.append(name: "X", value: "e")
        #expect(fields.all.map(\.name) == ["DPoP", "X"])
    }
}
