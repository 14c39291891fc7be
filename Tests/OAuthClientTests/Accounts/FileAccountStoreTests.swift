// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import OAuthClient
import StrictJSON
import Testing

@Suite("Accounts: the list in a file")
final class FileAccountStoreTests: Sendable {
    private let directory: String
    private var path: String { directory + "/accounts.json" }

    init() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("accounts-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: url,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        directory = url.path
    }

    deinit {
        try? FileManager.default.removeItem(atPath: directory)
    }

    private func write(_ text: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }

    private static func account(_ id: String) -> String {
        #"{"id":"\#(id)","scope":"openid","signed_in_at":1700000000,"sub":"s","name":"n","later":[1]}"#
    }

    private static func list(_ accounts: String..., rest: String = #""v":1"#) -> String {
        #"{\#(rest),"accounts":[\#(accounts.joined(separator: ","))]}"#
    }

    @Test func `what is written is read, also what a newer version wrote beside it`() async throws {
        try write(Self.list(Self.account("one"), Self.account("two"), rest: #""v":1,"current":"two","more":{"a":1}"#))
        let store = FileAccountStore(path: path)
        let before = try await store.list()
        #expect(before.accounts.map(\.id) == ["one", "two"] && before.current?.id == "two")
        #expect(before.current?.subject == "s" && before.current?.displayName == "n")
        try await store.update { _ in }
        #expect(try await store.list() == before)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text.contains(#""later":[1]"#) && text.contains(#""more":{"a":1}"#))
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test func `an unfinished sign-out is kept, and is no account`() async throws {
        let ended = #""ended":[{"later":[2],"id":"gone","session":"s1","ended_at":1700000000}]"#
        try write(Self.list(Self.account("one"), rest: #""v":1,"current":"gone","# + ended))
        let store = FileAccountStore(path: path)
        let before = try await store.list()
        #expect(before.accounts.map(\.id) == ["one"] && before.current == nil)
        try await store.update { _ in }
        #expect(try await store.list() == before)
        #expect(try String(contentsOfFile: path, encoding: .utf8).contains(ended))
    }

    @Test func `what a killed process was writing is deleted with the next change, and no other file is`() async throws
    {
        try write(Self.list(Self.account("one")))
        for name in [".accounts.json.new-a1B2c3", "accounts.json.backup", ".other.json.new-a1B2c3"] {
            try Data("{}".utf8).write(to: URL(fileURLWithPath: directory + "/" + name))
        }
        try await FileAccountStore(path: path).update { _ in }
        let files = Set(try FileManager.default.contentsOfDirectory(atPath: directory))
        #expect(files == ["accounts.json", "accounts.json.lock", "accounts.json.backup", ".other.json.new-a1B2c3"])
    }

    @Test func `no file is an empty list`() async throws {
        #expect(try await FileAccountStore(path: path).list() == AccountList())
    }

    @Test(arguments: [
        "", "{", "[]", #"{"v":1}"#, #"{"accounts":[]}"#, list(#"{"id":"a"}"#), list("1"),
        list(account("a"), account("a")), list(rest: #""v":2"#), list(rest: #""v":0"#),
        list(rest: #""v":1,"ended":1"#), list(rest: #""v":1,"ended":[{"id":"a"}]"#),
    ])
    func `a list that cannot be understood is an error, and stays`(_ text: String) async throws {
        try write(text)
        let store = FileAccountStore(path: path)
        #expect(await clientError { _ = try await store.list() }?.code == .storageFailed)
        #expect(await clientError { _ = try await store.update { _ in } }?.code == .storageFailed)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
    }

    @Test func `a file that others may read is an error`() async throws {
        try write(Self.list())
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        #expect(await clientError { _ = try await FileAccountStore(path: path).list() }?.code == .storageFailed)
    }

    @Test func `of many changes at once none is lost`() async throws {
        let path = path
        try write(Self.list(Self.account("one"), Self.account("two")))
        try await withThrowingTaskGroup { group in
            for number in 0..<40 {
                group.addTask {
                    // Stores of their own, as in other processes.
                    let store = FileAccountStore(path: path, timeout: .seconds(60))
                    _ = try await store.update { list in
                        let id = number.isMultiple(of: 2) ? "one" : "two"
                        list = Self.renamed(list, id)
                    }
                }
            }
            try await group.waitForAll()
        }
        let names = try await FileAccountStore(path: path).list().accounts.map { $0.displayName?.utf8.count }
        #expect(names == [21, 21])
    }

    /// The list with a longer name of one account.
    private static func renamed(_ list: AccountList, _ id: String) -> AccountList {
        var json = list.json
        let accounts = (json["accounts"]?.arrayValue ?? []).map { element -> JSONValue in
            guard var object = element.objectValue, object["id"]?.stringValue == id else { return element }
            object["name"] = .string((object["name"]?.stringValue ?? "") + "+")
            return .object(object)
        }
        json["accounts"] = .array(accounts)
        return (try? AccountList(parsing: json)) ?? list
    }

    @Test func `an account prints nothing of its user`() async throws {
        try write(Self.list(Self.account("one").replacing(#""s""#, with: #""marked-subject""#)))
        let account = try #require(try await FileAccountStore(path: path).list().accounts.first)
        var dumped = ""
        dump(account, to: &dumped)
        #expect(account.subject == "marked-subject")
        #expect(!"\(account) \(String(reflecting: account)) \(dumped)".contains("marked"))
    }
}
#endif
