// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import JOSE
import KeyStoreSuite
import Testing

@testable import SigningKeys

@Suite("Key stores of files")
struct FileKeyStoreTests {
    enum Kind: Sendable, CaseIterable {
        case passphrase
        case credential
        case unencrypted
    }

    private let directory: TemporaryDirectory
    private let alias: KeyAlias

    init() throws {
        directory = try TemporaryDirectory()
        alias = try KeyAlias("app")
    }

    private func store(_ kind: Kind) throws -> any KeyStore {
        switch kind {
        case .passphrase: try Self.encrypted(directory.keys, .passphrase(Array("correct horse".utf8)))
        case .credential: try Self.encrypted(directory.keys, .credential([UInt8](200..<232)))
        case .unencrypted: UnencryptedFileKeyStore(directory: directory.keys)
        }
    }

    /// A store whose scrypt is quick, for tests of everything else.
    static func encrypted(_ path: String, _ secret: KeyFileSecret) throws -> EncryptedFileKeyStore {
        try EncryptedFileKeyStore(directory: path, secret: secret, scryptCost: 1024, timeout: .seconds(20))
    }

    @Test(arguments: Kind.allCases)
    func `keeps the promises of a key store`(kind: Kind) async throws {
        // Making a key of RSA keeps a core busy for a while: once is enough.
        let algorithms = KeyStoreBehaviour.softwareAlgorithms + (kind == .unencrypted ? [.ps256] : [])
        try await KeyStoreBehaviour(
            store(kind),
            protection: kind == .unencrypted ? .unencryptedFile : .encryptedFile,
            algorithms: algorithms,
            makeSecondStore: { [self] in try store(kind) }
        )
        .check()
    }

    @Test(arguments: Kind.allCases)
    func `makes a directory and a file for the owner only, and leaves nothing else`(kind: Kind) async throws {
        _ = try await store(kind).loadOrGenerate(alias: alias)
        #expect(try directory.mode(of: directory.keys) == 0o700)
        #expect(try directory.mode(of: directory.file("app.key")) == 0o600)
        #expect(try directory.mode(of: directory.file(".lock")) == 0o600)
        #expect(try directory.names() == ["app.key", ".lock"])
    }

    @Test(arguments: Kind.allCases)
    func `reading does not make the directory`(kind: Kind) async throws {
        #expect(try await store(kind).load(alias) == nil)
        #expect(try await store(kind).aliases() == [])
        try await store(kind).delete(alias)
        #expect(!FileManager.default.fileExists(atPath: directory.keys))
    }

    @Test(arguments: Kind.allCases, [0o640, 0o604, 0o660, 0o644, 0o601])
    func `refuses a file that is open to others, and says what to do`(kind: Kind, mode: Int) async throws {
        let store = try store(kind)
        _ = try await store.loadOrGenerate(alias: alias)
        let before = try directory.contents("app.key")
        try directory.setMode(mode, of: directory.file("app.key"))
        await #expect { try await store.load(alias) } throws: { error in
            guard let error = error as? KeyStoreError else { return false }
            return error.code == .insecurePermissions && error.reason.contains("chmod 600")
        }
        #expect(await failure { _ = try await store.loadOrGenerate(alias: alias) } == .insecurePermissions)
        #expect(try directory.contents("app.key") == before)
    }

    @Test(arguments: [0o750, 0o705, 0o777, 0o701])
    func `refuses a directory that is open to others, and says what to do`(mode: Int) async throws {
        let store = try store(.unencrypted)
        _ = try await store.loadOrGenerate(alias: alias)
        try directory.setMode(mode, of: directory.keys)
        await #expect { try await store.load(alias) } throws: { error in
            guard let error = error as? KeyStoreError else { return false }
            return error.code == .insecurePermissions && error.reason.contains("chmod 700")
        }
        #expect(await failure { _ = try await store.loadOrGenerate(alias: alias) } == .insecurePermissions)
        #expect(await failure { _ = try await store.aliases() } == .insecurePermissions)
        #expect(await failure { try await store.delete(alias) } == .insecurePermissions)
    }

    @Test(arguments: Kind.allCases)
    func `refuses a damaged file and never replaces it`(kind: Kind) async throws {
        let store = try store(kind)
        _ = try await store.loadOrGenerate(alias: alias)
        let whole = try directory.contents("app.key")
        var damaged = (0..<8).map { Array(whole.prefix(whole.count * $0 / 8)) }
        damaged.append(Array("garbage".utf8))
        damaged.append(Array("{}".utf8))
        damaged.append(Array("[1]".utf8))
        damaged.append(whole + whole)
        damaged.append([UInt8](repeating: UInt8(ascii: "a"), count: 100_000))
        for bytes in damaged {
            try directory.write(bytes, to: "app.key")
            #expect(await failure { _ = try await store.load(alias) } == .malformedKeyFile)
            #expect(await failure { _ = try await store.loadOrGenerate(alias: alias) } == .malformedKeyFile)
            #expect(try directory.contents("app.key") == bytes)
        }
        try directory.write(whole, to: "app.key")
        #expect(try await store.load(alias) != nil)
    }

    @Test(arguments: Kind.allCases)
    func `refuses a file that was given the name of another key`(kind: Kind) async throws {
        let store = try store(kind)
        _ = try await store.loadOrGenerate(alias: alias)
        try directory.write(directory.contents("app.key"), to: "other.key")
        #expect(await failure { _ = try await store.load(KeyAlias("other")) } == .malformedKeyFile)
    }

    @Test func `refuses links, directories and pipes in the place of a file`() async throws {
        let store = try store(.unencrypted)
        let key = try await store.loadOrGenerate(alias: alias)
        let files = FileManager.default
        try files.createSymbolicLink(atPath: directory.file("link.key"), withDestinationPath: directory.file("app.key"))
        try files.createDirectory(atPath: directory.file("directory.key"), withIntermediateDirectories: false)
        #expect(unsafe mkfifo(directory.file("pipe.key"), 0o600) == 0)
        for name in ["link", "directory", "pipe"] {
            let alias = try KeyAlias(name)
            #expect(await failure { _ = try await store.load(alias) } == .malformedKeyFile)
            #expect(await failure { _ = try await store.loadOrGenerate(alias: alias) } == .malformedKeyFile)
        }
        #expect(try await store.load(alias)?.publicKey == key.publicKey)
    }

    @Test(arguments: Kind.allCases)
    func `what a writer left that ended in the middle does no harm and is removed`(kind: Kind) async throws {
        try directory.write(Array("half a ke".utf8), to: ".new-1-2-3")
        try directory.write([], to: ".new-4-5-6")
        let store = try store(kind)
        #expect(try await store.aliases() == [])
        #expect(try await store.load(alias) == nil)
        let key = try await store.loadOrGenerate(alias: alias)
        #expect(try await store.load(alias)?.publicKey == key.publicKey)
        #expect(try directory.names() == ["app.key", ".lock"])
    }

    @Test(arguments: Kind.allCases)
    func `a deleted key is not left under the name that it had first`(kind: Kind) async throws {
        let store = try store(kind)
        _ = try await store.loadOrGenerate(alias: alias)
        // As after a power cut between the two names, before the first one was removed.
        try directory.write(directory.contents("app.key"), to: ".new-1-2-3")
        try await store.delete(alias)
        #expect(try directory.names() == [".lock"])
    }

    @Test func `ignores files that are not keys`() async throws {
        for name in ["README", "app.key.bak", ".hidden.key", "a b.key", ".key"] {
            try directory.write([1], to: name)
        }
        let store = try store(.credential)
        #expect(try await store.aliases() == [])
        _ = try await store.loadOrGenerate(alias: alias)
        #expect(try await store.aliases() == [alias])
    }

    @Test func `says when the directory cannot be made`() async throws {
        let store = UnencryptedFileKeyStore(directory: directory.path + "/missing/keys")
        #expect(await failure { _ = try await store.loadOrGenerate(alias: alias) } == .storageFailed)
        try directory.write([], to: "file")
        let onFile = UnencryptedFileKeyStore(directory: directory.file("file"))
        #expect(await failure { _ = try await onFile.loadOrGenerate(alias: alias) } == .storageFailed)
        #expect(await failure { _ = try await onFile.load(alias) } == .storageFailed)
    }

    @Test func `gives up when another process keeps the lock`() async throws {
        let store = try EncryptedFileKeyStore(
            directory: directory.keys,
            secret: .credential([UInt8](0..<32)),
            scryptCost: 1024,
            timeout: .milliseconds(50)
        )
        let first = try await store.loadOrGenerate(alias: alias)
        let lock = unsafe open(directory.file(".lock"), O_RDWR)
        defer { close(lock) }
        #expect(flock(lock, LOCK_EX) == 0)
        #expect(await failure { _ = try await store.loadOrGenerate(alias: KeyAlias("new")) } == .storageFailed)
        #expect(await failure { try await store.delete(alias) } == .storageFailed)
        #expect(try await store.loadOrGenerate(alias: alias).publicKey == first.publicKey)
        #expect(flock(lock, LOCK_UN) == 0)
        _ = try await store.loadOrGenerate(alias: KeyAlias("new"))
    }

    @Test func `a lock is not taken through a link that another user may have made`() throws {
        try directory.write(Array("short".utf8), to: "domain")
        try directory.write([], to: "file")
        let link = directory.path + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: directory.keys)
        for path in [link, directory.file("file")] {
            let error = #expect(throws: KeyStoreError.self) { _ = try KeyDirectory.ofLock(at: path) }
            #expect(error?.code == .insecurePermissions)
        }
        _ = try KeyDirectory.ofLock(at: directory.path + "/lock").lock(timeout: .zero)
        // A store of keys may be behind a link of its user.
        #expect(try KeyDirectory(at: link) != nil)
    }

    @Test func `takes nobody's word that there is no file`() throws {
        _ = try KeyDirectory(creatingAt: directory.keys)
        let keys = try #require(try KeyDirectory(at: directory.keys))
        #expect(try keys.publish([1], as: "app.key"))
        #expect(try !keys.publish([2], as: "app.key"))
        #expect(try directory.contents("app.key") == [1])
        #expect(try directory.names() == ["app.key"])
    }
}
#endif
