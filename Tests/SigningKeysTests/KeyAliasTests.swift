// SPDX-License-Identifier: Apache-2.0

import SigningKeys
import Testing

@Suite("Names of keys")
struct KeyAliasTests {
    @Test(arguments: [
        "a", "default", "https-auth.example.com_8443", "A-Z.09", "-", "_x", String(repeating: "a", count: 128),
    ])
    func `accepts letters, digits, dots, hyphens and underscores`(text: String) throws {
        #expect(try KeyAlias(text).text == text)
        #expect(try KeyAlias(text).description == text)
    }

    @Test(arguments: [
        "", ".", "..", ".lock", "a/b", "../a", "a b", "a\n", "\0", "\u{e9}", "\u{212a}", "a:b", "a\\b", "\u{1F511}",
        String(repeating: "a", count: 129),
    ])
    func `refuses everything else`(text: String) {
        #expect { try KeyAlias(text) } throws: { ($0 as? KeyStoreError)?.code == .invalidAlias }
    }

    @Test func `sorts by octets`() throws {
        let aliases = try ["b", "B", "a1", "a-1", "a"].map { try KeyAlias($0) }
        #expect(aliases.sorted().map(\.text) == ["B", "a", "a-1", "a1", "b"])
    }
}
