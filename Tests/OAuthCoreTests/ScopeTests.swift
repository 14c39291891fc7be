// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import Testing

@Suite("RFC 6749 section 3.3: scope")
struct ScopeTests {
    @Test func `tokens keep their order when written, and have none when compared`() throws {
        let scope = try Scope(["b", "a", "b"])
        #expect(scope.description == "b a")
        #expect(try scope == Scope(parsing: "a b"))
        #expect(try Set([scope, Scope(parsing: "a b")]).count == 1)
    }

    @Test func `the empty text is the empty scope`() throws {
        #expect(try Scope(parsing: "") == .empty)
        #expect(Scope.empty.isEmpty)
        #expect(Scope.empty.description == "")
    }

    @Test(arguments: ["a  b", " a", "a ", " ", "a\tb", "a\"b", "a\\b", "ü", "a\u{7F}", "a\u{0}b"])
    func `text beyond the grammar is rejected`(_ text: String) {
        #expect(throws: OAuthCoreError.self) { try Scope(parsing: text) }
    }

    @Test(arguments: ["", "a b"])
    func `a token that is none is rejected`(_ token: String) {
        #expect(throws: OAuthCoreError.self) { try Scope([token]) }
    }

    @Test func `every character of the grammar is accepted`() throws {
        let characters = (0x21...0x7E).filter { $0 != 0x22 && $0 != 0x5C }.map { UInt8($0) }
        let token = String(decoding: characters, as: UTF8.self)
        #expect(try Scope(parsing: token).tokens == [token])
    }

    @Test func `sets behave like sets`() throws {
        let (narrow, wide) = (try Scope(["b"]), try Scope(["a", "b", "c"]))
        #expect(narrow.isSubset(of: wide))
        #expect(!wide.isSubset(of: narrow))
        #expect(Scope.empty.isSubset(of: narrow))
        #expect(wide.contains("c"))
        #expect(!wide.contains("C"))
        #expect(try wide.intersection(Scope(["c", "x", "a"])).description == "a c")
    }
}
