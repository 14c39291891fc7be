// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import JOSE
import OAuthCrypto
import OAuthSystem
import Synchronization
import Testing

@testable import SigningKeys

@Suite("Tokens that fail", .enabled(if: TokenStage.isPrepared))
struct PKCS11FaultTests {
    private let alias: KeyAlias
    private let module: FaultyModule
    private let message = Array("message".utf8)

    init() throws {
        alias = try KeyAlias("key")
        module = try FaultyModule()
    }

    @Test func `a wrong PIN is tried once`() async throws {
        let store = try TokenStage.store("wrong", module: module.path, pin: .bytes(Array("4321".utf8)))
        for _ in 0..<3 { #expect(await failure { _ = try await store.load(alias) } == .wrongPIN) }
        #expect(try module.calls("C_Login") == 1)
        // A person may give another one, and the same wrong one counts for nothing.
        let answers = Mutex(["9999", "9999", TokenStage.pin])
        let asking = try TokenStage.store(
            "wrong",
            module: module.path,
            pin: .asking { Array(answers.withLock { $0.removeFirst() }.utf8) }
        )
        #expect(await failure { _ = try await asking.load(alias) } == .wrongPIN)
        #expect(await failure { _ = try await asking.load(alias) } == .wrongPIN)
        #expect(try module.calls("C_Login") == 2)
        #expect(try await asking.load(alias) == nil)
        #expect(try module.calls("C_Login") == 3)
    }

    @Test func `the last attempt before a lock-out is not made unless that is allowed`() async throws {
        let finalTry: UInt = 1 << 17
        try module.setFlags(token: finalTry)
        #expect(await failure { _ = try await TokenStage.store("final", module: module.path).load(alias) } == .wrongPIN)
        #expect(try module.calls("C_Login") == 0)
        let allowed = try TokenStage.store("final", module: module.path, mayUseLastAttempt: true)
        #expect(try await allowed.load(alias) == nil)
        #expect(try module.calls("C_Login") == 1)
    }

    @Test func `a locked PIN is not tried, and one that locks is known for it`() async throws {
        try module.setFlags(token: 1 << 18)
        let store = try TokenStage.store("locked", module: module.path)
        #expect(await failure { _ = try await store.load(alias) } == .pinLocked)
        #expect(try module.calls("C_Login") == 0)
        try module.setFlags()
        try module.fail("C_Login", 0xA4)
        for _ in 0..<2 { #expect(await failure { _ = try await store.load(alias) } == .pinLocked) }
        #expect(try module.calls("C_Login") == 1)
    }

    /// As SoftHSM answers while another process logs in: CKR_GENERAL_ERROR, CKR_USER_PIN_NOT_INITIALIZED.
    @Test(arguments: [("unread", 0x5), ("unreadable", 0x102)])
    func `a login that could not read the token is made again, for a while`(token: String, answer: UInt) async throws {
        let store = try TokenStage.store(token, module: module.path)
        try module.fail("C_Login", answer, times: 1000)
        #expect(await failure { _ = try await store.load(alias) } == .deviceFailed)
        #expect(try module.calls("C_Login") == 21)
        try module.fail("C_Login", answer, times: 3)
        #expect(try await store.load(alias) == nil)
        #expect(try module.calls("C_Login") == 25)
    }

    @Test func `processes that share a lock open SoftHSM one after the other`() async throws {
        let store = try TokenStage.store("suite", module: module.path, lock: "opening")
        let directory = try KeyDirectory(creatingAt: #require(TokenStage.directory) + "/opening")
        var lock: FileDescriptor? = try directory.lock(timeout: .zero)
        let found = Task { try await store.load(alias) }
        try await Task.sleep(for: .milliseconds(300))
        #expect(try module.calls("C_GetSlotList") == 0)
        withExtendedLifetime(lock) {}
        lock = nil
        _ = try await found.value
        #expect(try module.calls("C_GetSlotList") > 0)
    }

    @Test func `sources of PINs`() async throws {
        let directory = try #require(TokenStage.directory)
        let path = directory + "/pin"
        func load(_ pin: PKCS11PIN) async throws { _ = try await TokenStage.store("pins", pin: pin).load(alias) }
        #expect(
            FileManager.default.createFile(
                atPath: path,
                contents: Data("1234\n".utf8),
                attributes: [.posixPermissions: 0o600]
            )
        )
        try await load(.file(path))
        let secrets = try TokenStage.store("devices", module: module.path, pin: .none)
        #expect(await failure { _ = try await secrets.load(alias) } == .deviceLocked)
        struct Declined: Error {}
        let declined = try TokenStage.store("devices", module: module.path, pin: .asking { throw Declined() })
        #expect(await failure { _ = try await declined.load(alias) } == .userCanceled)
        for bytes in [[], [UInt8](repeating: 49, count: 256)] {
            let store = try TokenStage.store("devices", module: module.path, pin: .bytes(bytes))
            #expect(await failure { _ = try await store.load(alias) } == .invalidSecret)
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        let file = try TokenStage.store("devices", module: module.path, pin: .file(path))
        #expect(await failure { _ = try await file.load(alias) } == .insecurePermissions)
        let missing = try TokenStage.store("devices", module: module.path, pin: .file(path + "-none"))
        #expect(await failure { _ = try await missing.load(alias) } == .storageFailed)
        #expect(try module.calls("C_Login") == 0)
        #expect("\(PKCS11PIN.bytes(Array("1234".utf8)))" == "<redacted>")
    }

    @Test func `a token that is taken out and put back goes on`() async throws {
        let store = try TokenStage.store("removed", module: module.path)
        let key = try await store.loadOrGenerate(alias: alias)
        try module.setRemoved("removed", true)
        for _ in 0..<2 {
            #expect(await failure { _ = try await key.sign(message) } == .deviceUnavailable)
            #expect(await failure { _ = try await store.load(alias) } == .deviceUnavailable)
            #expect(await failure { _ = try await store.loadOrGenerate(alias: alias) } == .deviceUnavailable)
        }
        try module.setRemoved("removed", false)
        #expect(try await key.works())
        #expect(try await store.load(alias)?.publicKey == key.publicKey)
    }

    @Test(arguments: [UInt(0x32), 0xE0, 0xB0, 0xB3, 0x101])
    func `a lost session is opened anew once`(answer: UInt) async throws {
        let store = try TokenStage.store("lost", module: module.path, sessions: 1)
        let key = try await store.loadOrGenerate(alias: alias)
        let sessions = try module.calls("C_OpenSession")
        try module.fail("C_SignInit", answer)
        #expect(try await key.works())
        #expect(try module.calls("C_OpenSession") == sessions + 1)
        let before = try module.calls("C_SignInit")
        try module.fail("C_SignInit", answer, times: 2)
        let expected: KeyStoreError.Code = answer == 0x101 ? .deviceLocked : .deviceUnavailable
        #expect(await failure { _ = try await key.sign(message) } == expected)
        #expect(try module.calls("C_SignInit") == before + 2)
        #expect(try await key.works())
    }

    @Test func `a key that other code of the process hides by logging out is not lost`() async throws {
        let store = try TokenStage.store("loggedout", module: module.path, sessions: 2)
        let key = try await store.loadOrGenerate(alias: alias)
        try module.logOut("loggedout")
        #expect(try await store.load(alias)?.publicKey == key.publicKey)
        try module.logOut("loggedout")
        #expect(try await key.works())
        try module.logOut("loggedout")
        #expect(try await store.loadOrGenerate(alias: alias).publicKey == key.publicKey)
        try module.logOut("loggedout")
        #expect(try await store.aliases() == [alias])
        // Both halves: one that is left would be a key of that name, or hide that there was one.
        try module.logOut("loggedout")
        try await store.delete(alias)
        let left = try await TokenStage.tool("loggedout", ["--list-objects"])
        #expect(!left.contains("Key Object"), "\(left)")
    }

    @Test func `a session that is logged out is closed`() async throws {
        try module.limitSessions(2)
        let store = try TokenStage.store("leaking", module: module.path, sessions: 1)
        for _ in 0..<4 {
            try module.fail("C_SignInit", 0x101)
            _ = try await store.loadOrGenerate(alias: alias).sign(message)
        }
    }

    @Test func `the PIN that the module gets is the one that is wiped`() async throws {
        let pin = Array(TokenStage.pin.utf8)
        let store = try TokenStage.store("memory", module: module.path, pin: .asking { pin })
        #expect(try await store.load(alias) == nil)
        let address = unsafe pin.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        #expect(try unsafe UInt(bitPattern: module.pinAddress()) == address)
    }

    @Test func `a key that was replaced under its name is lost`() async throws {
        let store = try TokenStage.store("objects", module: module.path)
        let key = try await store.loadOrGenerate(alias: alias)
        let other = try TokenStage.store("objects")
        // Its handle is not valid any more, but the key is there: found again.
        try module.fail("C_SignInit", 0x60)
        #expect(try await key.works())
        try await other.delete(alias)
        let replacement = try await other.loadOrGenerate(alias: alias)
        #expect(await failure { _ = try await key.sign(message) } == .keyLost)
        #expect(try await store.load(alias)?.publicKey == replacement.publicKey)
        try module.fail("C_Sign", 0x30)
        let loaded = try #require(try await store.load(alias))
        #expect(await failure { _ = try await loaded.sign(message) } == .deviceFailed)
        _ = try await loaded.sign(message)
    }

    @Test func `so is one that was replaced under its identifier too`() async throws {
        let generate = ["--keypairgen", "--key-type", "EC:prime256v1", "--id", "09", "--label", "same", "--usage-sign"]
        try await TokenStage.tool("second", generate)
        let store = try TokenStage.store("second", module: module.path)
        let key = try #require(try await store.load(KeyAlias("same")))
        try await store.delete(KeyAlias("same"))
        try await TokenStage.tool("second", generate)
        #expect(await failure { _ = try await key.sign(message) } == .keyLost)
        #expect(try await store.load(KeyAlias("same"))?.publicKey != key.publicKey)
    }

    @Test func `a token that lies is not believed`() async throws {
        let honest = try await TokenStage.store("lies").loadOrGenerate(alias: alias)
        for form in [Int32(2), 3, 4] {
            let module = try FaultyModule()
            try module.setPointForm(form)
            #expect(
                await failure { _ = try await TokenStage.store("lies", module: module.path).load(alias) }
                    == .deviceFailed
            )
        }
        try module.setPointForm(1)
        let store = try TokenStage.store("lies", module: module.path)
        #expect(try await store.load(alias)?.publicKey == honest.publicKey)
        // Two keys of one identifier: the public half of the one is shown for the other.
        try await TokenStage.tool(
            "lies",
            ["--keypairgen", "--key-type", "EC:prime256v1", "--id", "01", "--label", "one", "--usage-sign"]
        )
        try await TokenStage.tool(
            "lies",
            ["--keypairgen", "--key-type", "EC:prime256v1", "--id", "02", "--label", "two", "--usage-sign"]
        )
        try await TokenStage.tool("lies", ["--delete-object", "--type", "pubkey", "--id", "01"])
        try await TokenStage.tool(
            "lies",
            ["--set-id", "01", "--type", "pubkey", "--id", "02"]
        )
        #expect(await failure { _ = try await store.load(label: "one", id: nil) } == .deviceFailed)
    }

    @Test func `only a token that says it is hardware binds keys to it`() async throws {
        try module.setFlags(slot: 1 << 2)
        let store = try TokenStage.store("hardware", module: module.path)
        #expect(try await store.loadOrGenerate(alias: alias).protection == .hardwareBound)
        #expect(try await store.facts(about: alias)?.contains(KeyFact("hardware", "yes")) == true)
        #expect(try await TokenStage.store("hardware").load(alias)?.protection == .osProtected)
        // Written into the token from outside, or readable: its copies are nobody knows where.
        try await TokenStage.tool(
            "hardware",
            [
                "--keypairgen", "--key-type", "EC:prime256v1", "--id", "01", "--label", "open", "--usage-sign",
                "--extractable",
            ]
        )
        #expect(try await store.load(KeyAlias("open"))?.protection == .osProtected)
    }

    @Test func `a token that makes no keys leaves nothing behind`() async throws {
        let store = try TokenStage.store("sharing", module: module.path)
        for (function, answer) in [("C_GenerateKeyPair", UInt(0x31)), ("C_Sign", 0x30), ("C_SetAttributeValue", 0x10)] {
            try module.fail(function, answer)
            #expect(await failure { _ = try await store.loadOrGenerate(alias: alias) } == .deviceFailed)
            let left = try await TokenStage.tool("sharing", ["--list-objects"])
            #expect(!left.contains("Key Object"), "\(function): \(left)")
        }
        try module.fail("C_GenerateKeyPair", 0x140)
        #expect(await failure { _ = try await store.loadOrGenerate(alias: alias) } == .unsupportedAlgorithm)
    }

    /// Their numbers may belong to sessions of other threads by then.
    @Test func `sessions that ended with the token are not closed, nor those that make keys`() async throws {
        let store = try TokenStage.store("vanished", module: module.path, sessions: 1)
        let key = try await store.loadOrGenerate(alias: alias)
        let closed = try module.calls("C_CloseSession")
        // CKR_DEVICE_REMOVED, at both attempts.
        try module.fail("C_GenerateKeyPair", 0x32, times: 2)
        let other = try KeyAlias("other")
        #expect(await failure { _ = try await store.loadOrGenerate(alias: other) } == .deviceUnavailable)
        #expect(try module.calls("C_CloseSession") == closed)
        #expect(try await key.works())
    }

    @Test func `what is no module, or another token, is not available`() async throws {
        let directory = try #require(TokenStage.directory)
        let text = directory + "/text.so"
        #expect(FileManager.default.createFile(atPath: text, contents: Data("no library".utf8)))
        let modules = [
            "/nowhere/module.so", "libsofthsm2.so", text, directory + "/no-table.so", directory + "/no-sign.so",
        ]
        for module in modules {
            let store = try TokenStage.store("suite", module: module)
            #expect(await failure { _ = try await store.load(alias) } == .deviceUnavailable, "\(module)")
        }
        let nobody = try TokenStage.store("nobody")
        let missing = await #expect(throws: KeyStoreError.self) { _ = try await nobody.load(alias) }
        #expect(missing?.code == .deviceUnavailable && missing?.forbidsFallback == false)
        let any = PKCS11KeyStore(module: TokenStage.module, token: PKCS11TokenSelection(), pin: .none)
        let ambiguous = await #expect(throws: KeyStoreError.self) { _ = try await any.load(alias) }
        #expect(ambiguous?.code == .deviceUnavailable && ambiguous?.forbidsFallback == true)
        try module.fail("C_GetSlotList", 0x5)
        #expect(
            await failure { _ = try await TokenStage.store("suite", module: module.path).load(alias) } == .deviceFailed
        )
    }
}
#endif
