// SPDX-License-Identifier: Apache-2.0

import ServerStorage
import TestSupport
import Testing

@testable import AuthorizationServer

@Suite("Names of new accounts, RFC 8265 section 3.4")
struct NewUsernameTests {
    private let storage: any AuthorizationStorage = MemoryAuthorizationStorage()
    private var administration: ServerAdministration {
        ServerAdministration(storage: storage, passwords: .unprotected(entropy: SeededEntropy()), clock: FixedClock())
    }

    private static let allowed: [(String, String)] = [
        ("Ada", "ada"), (" ada lovelace ", "ada lovelace"), ("o'brien+work@example.com", "o'brien+work@example.com"),
        // Capitals of other scripts stay: only A to Z are compared without regard to case.
        ("J\u{F6}rg Gro\u{DF}", "j\u{F6}rg gro\u{DF}"), ("\u{C9}va", "\u{C9}va"),
        ("\u{39C}\u{3B1}\u{390}\u{3BF}\u{3C2}", "\u{39C}\u{3B1}\u{390}\u{3BF}\u{3C2}"),
        ("\u{1FB3}", "\u{1FB3}"), ("\u{13A0}\u{AB70}", "\u{13A0}\u{AB70}"), ("\u{65E5}\u{672C}", "\u{65E5}\u{672C}"),
        ("\u{D55C}\u{AE00}", "\u{D55C}\u{AE00}"), ("\u{0645}\u{064F}\u{062D}", "\u{0645}\u{064F}\u{062D}"),
        ("\u{0928}\u{0940}1", "\u{0928}\u{0940}1"), ("a1\u{660}\u{669}", "a1\u{660}\u{669}"),
        ("a1\u{6F0}\u{6F9}", "a1\u{6F0}\u{6F9}"),
    ]

    @Test(arguments: allowed)
    func `letters and digits of any script are allowed`(typed: String, stored: String) throws {
        // Byte for byte: equal strings may be different accounts.
        #expect(try NewUsername.stored(typed).utf8.elementsEqual(stored.utf8))
    }

    /// A name, the code of what is wrong with it, and where that is.
    private static let refused: [(String, String, Int)] = [
        ("ad\u{200B}a", "U+200B", 3), ("ada\u{200D}", "U+200D", 4), ("\u{202E}ada", "U+202E", 1),
        ("a\u{2066}da", "U+2066", 2), ("ada\u{AD}", "U+00AD", 4), ("a\u{34F}da", "U+034F", 2),
        ("a\u{FE0F}da", "U+FE0F", 2), ("a\u{E0100}da", "U+E0100", 2), ("ada\u{E0061}", "U+E0061", 4),
        ("ada\u{3164}", "U+3164", 4), ("a\u{115F}", "U+115F", 2), ("ada\u{2800}", "U+2800", 4),
        ("a\u{7}da", "U+0007", 2), ("a\u{7F}", "U+007F", 2), ("a\u{85}", "U+0085", 2), ("a\u{2028}b", "U+2028", 2),
        ("a\u{A0}b", "U+00A0", 2), ("a\u{3000}b", "U+3000", 2), ("a  b", "U+0020", 3), ("a\tb", "U+0009", 2),
        ("a\u{378}", "U+0378", 2), ("a\u{E000}", "U+E000", 2), ("a\u{FFFD}", "U+FFFD", 2),
        ("ada\u{1F98A}", "U+1F98A", 4), ("o\u{2019}brien", "U+2019", 2), ("a\u{20DD}", "U+20DD", 2),
        ("\u{FF41}da", "U+FF41", 1), ("\u{FF21}da", "U+FF21", 1), ("\u{1D41A}da", "U+1D41A", 1),
        ("\u{1D400}da", "U+1D400", 1), ("\u{FB01}n", "U+FB01", 1), ("a\u{2B0}", "U+02B0", 2), ("\u{AA}da", "U+00AA", 1),
        ("\u{2160}", "U+2160", 1), ("\u{1100}\u{1161}", "U+1100", 1), ("\u{0640}", "U+0640", 1),
    ]

    @Test(arguments: refused)
    func `invisible characters and variants of others are rejected`(name: String, code: String, position: Int) {
        let error = #expect(throws: AuthorizationServerError.self) { try NewUsername.stored(name) }
        #expect(error?.code == .invalidValue)
        #expect(error?.reason.hasPrefix("the user name has \(code) as character \(position): ") == true)
    }

    @Test(arguments: ["e\u{301}va", "\u{212A}im", "a\u{301}\u{316}", "\u{1FBE}"])
    func `a name is in normalization form C`(name: String) {
        let error = #expect(throws: AuthorizationServerError.self) { try NewUsername.stored(name) }
        #expect(error?.code == .invalidValue)
        #expect(error?.reason.contains("normalization form C") == true)
    }

    @Test(arguments: ["\u{660}\u{6F0}", "\u{6F9}a\u{669}", "\u{645}\u{664} \u{6F4}"])
    func `digits of two Arabic kinds, which look alike, are not in one name`(name: String) {
        let error = #expect(throws: AuthorizationServerError.self) { try NewUsername.stored(name) }
        #expect(error?.code == .invalidValue)
        #expect(error?.reason.contains("U+0660 to U+0669") == true)
    }

    @Test func `an operator cannot add such a name, and an account that has one keeps it`() async throws {
        let name = "ada\u{200B}"
        await #expect(throws: AuthorizationServerError.self) {
            try await administration.addUser(username: name, password: "long enough")
        }
        #expect(try await storage.user(named: name) == nil)
        let account = UserAccount(
            subject: "earlier",
            username: name,
            passwordHash: PasswordHash(ofNothing: SeededEntropy()),
            createdAt: FixedClock().now()
        )
        #expect(try await storage.add(account))
        try await administration.changePassword(of: name, to: "another password")
        #expect(Username.acceptable(name) == name)
    }
}
