// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import JOSE
import OAuthCrypto
import StrictJSON
import Testing

@testable import SigningKeys

@Suite("Encrypted key files")
struct EncryptedFileKeyStoreTests {
    private let directory: TemporaryDirectory
    private let alias: KeyAlias
    private let passphrase = KeyFileSecret.passphrase(Array("correct horse".utf8))
    private let credential = KeyFileSecret.credential([UInt8](200..<232))

    /// Made by another implementation, from the private key of RFC 6979 appendix A.2.5.
    private let passphraseFile = """
        {"format":"keybound-encrypted-key","version":1,"alias":"app","algorithm":"ES256","kdf":"scrypt","cost":1024,\
        "blockSize":8,"parallelism":1,"salt":"AAECAwQFBgcICQoLDA0ODw",\
        "check":"cXgPPvpPAf9vKjr1XF2EiZ9JRpeyOuu20NBg6UdlugE","nonce":"ZGVmZ2hpamtsbW5v",\
        "ciphertext":"YkfuPNjLP1Zt8aDORQnhbT9AG6Ov7psj69kWUNvn-IRS7LVcxAHPLE7UX8bq8eER"}
        """
    private let credentialFile = """
        {"format":"keybound-encrypted-key","version":1,"alias":"app","algorithm":"ES256","kdf":"hkdf-sha256",\
        "salt":"AAECAwQFBgcICQoLDA0ODw","check":"CGlEle2K-UjKxhL2bCozKPBl_zw58klN5TulZ1SHxwI",\
        "nonce":"ZGVmZ2hpamtsbW5v","ciphertext":"5tyTDj1_yKT2RLDCZPViscl8KS9b9_zYxvcQb8GW8qy9LjdM5yBP4t1fRIJ1Xhwf"}
        """
    private let x = "YP7UuiVanTHJYet0xjVtaMBJuJI7Yfps5mliLmDyn7Y"

    init() throws {
        directory = try TemporaryDirectory()
        alias = try KeyAlias("app")
    }

    private func store(_ secret: KeyFileSecret) throws -> EncryptedFileKeyStore {
        try FileKeyStoreTests.encrypted(directory.keys, secret)
    }

    @Test func `opens a file of version 1 made elsewhere`() async throws {
        try directory.write(Array(passphraseFile.utf8), to: "app.key")
        let key = try #require(try await store(passphrase).load(alias))
        #expect(key.publicKey.json["x"]?.stringValue == x)
        #expect(key.protection == .encryptedFile)
        try directory.write(Array(credentialFile.utf8), to: "app.key")
        #expect(try await store(credential).load(alias)?.publicKey.json["x"]?.stringValue == x)
    }

    @Test(arguments: [true, false])
    func `refuses a wrong secret and keeps the file`(isPassphrase: Bool) async throws {
        let file = Array((isPassphrase ? passphraseFile : credentialFile).utf8)
        try directory.write(file, to: "app.key")
        let wrong: [KeyFileSecret] = [
            .passphrase(Array("correct horsf".utf8)), .passphrase(Array("correct horse\n".utf8)),
            .credential([UInt8](201..<233)), isPassphrase ? credential : passphrase,
        ]
        for secret in wrong {
            let store = try store(secret)
            #expect(await failure { _ = try await store.load(alias) } == .wrongPassphrase)
            #expect(await failure { _ = try await store.loadOrGenerate(alias: alias) } == .wrongPassphrase)
        }
        #expect(try directory.contents("app.key") == file)
    }

    @Test func `does not make a second key with a mistyped secret`() async throws {
        let first = try await store(passphrase).loadOrGenerate(alias: alias)
        let mistyped = try store(.passphrase(Array("correct hosre".utf8)))
        let other = try KeyAlias("other")
        #expect(await failure { _ = try await mistyped.loadOrGenerate(alias: other) } == .wrongPassphrase)
        #expect(try await store(passphrase).aliases() == [alias])
        _ = try await store(passphrase).loadOrGenerate(alias: other)
        #expect(try await store(passphrase).load(alias)?.publicKey == first.publicKey)
    }

    @Test func `a damaged file of another key is no reason to refuse a new one`() async throws {
        try directory.write(Array("garbage".utf8), to: "broken.key")
        _ = try await store(passphrase).loadOrGenerate(alias: alias)
        #expect(try await store(passphrase).load(alias) != nil)
        #expect(try directory.contents("broken.key") == Array("garbage".utf8))
    }

    @Test func `refuses a change of any part of the file`() async throws {
        // A changed header or check looks like a wrong secret, which cannot be told apart; a changed nonce or
        // ciphertext is known for what it is.
        let changes: [(String, String, KeyStoreError.Code)] = [
            ("\"cost\":1024", "\"cost\":2048", .wrongPassphrase), ("AAECAw", "AAECBw", .wrongPassphrase),
            ("cXgPPv", "cXgPPw", .wrongPassphrase), ("ZGVmZ2", "ZGVmZ3", .malformedKeyFile),
            ("YkfuPN", "YkfuPM", .malformedKeyFile), ("8eER\"", "8eEA\"", .malformedKeyFile),
            ("\"version\":1", "\"version\":2", .malformedKeyFile), ("keybound-enc", "keybound-xnc", .malformedKeyFile),
            ("\"scrypt\"", "\"argon2\"", .malformedKeyFile), ("\"cost\":1024", "\"cost\":1000", .malformedKeyFile),
            ("\"cost\":1024", "\"cost\":1073741824", .malformedKeyFile),
            ("\"cost\":1024", "\"cost\":-1", .malformedKeyFile), ("\"cost\":1024,", "", .malformedKeyFile),
            ("\"blockSize\":8", "\"blockSize\":999999", .malformedKeyFile),
            ("\"nonce\"", "\"extra\":1,\"nonce\"", .malformedKeyFile),
            ("\"alias\":\"app\"", "\"alias\":\"apq\"", .malformedKeyFile),
            ("\"ES256\"", "\"ES384\"", .wrongPassphrase), ("ZGVmZ2hpamtsbW5v", "ZGVmZ2hpamtsbW4", .malformedKeyFile),
        ]
        let store = try store(passphrase)
        for (part, replacement, expected) in changes {
            let changed = passphraseFile.replacingOccurrences(of: part, with: replacement)
            #expect(changed != passphraseFile)
            try directory.write(Array(changed.utf8), to: "app.key")
            #expect(await failure { _ = try await store.load(alias) } == expected, "\(part) -> \(replacement)")
        }
    }

    @Test func `files do not show the key and differ in nonce but not in salt`() async throws {
        let store = try store(passphrase)
        var objects: [JSONObject] = []
        for name in ["a", "b", "c"] {
            let key = try #require(try await store.loadOrGenerate(alias: KeyAlias(name)) as? SoftwareSigningKey)
            let text = String(decoding: try directory.contents("\(name).key"), as: UTF8.self)
            #expect(!text.contains(Base64URL.encode(key.privateKeyBytes)))
            objects.append(try #require(try JSONValue(parsing: Array(text.utf8)).objectValue))
        }
        #expect(Set(objects.map { $0["salt"]?.stringValue }).count == 1)
        #expect(Set(objects.map { $0["nonce"]?.stringValue }).count == 3)
        #expect(Set(objects.map { $0["ciphertext"]?.stringValue }).count == 3)
    }

    @Test func `another store takes over the salt of the keys that are there`() async throws {
        _ = try await store(passphrase).loadOrGenerate(alias: alias)
        _ = try await store(passphrase).loadOrGenerate(alias: KeyAlias("other"))
        let salts = try ["app.key", "other.key"].map { name in
            try JSONValue(parsing: directory.contents(name)).objectValue?["salt"]?.stringValue
        }
        #expect(salts[0] != nil)
        #expect(salts[0] == salts[1])
    }

    @Test func `works with the scrypt of production`() async throws {
        let store = try EncryptedFileKeyStore(directory: directory.keys, secret: passphrase)
        _ = try await store.loadOrGenerate(alias: alias)
        let text = String(decoding: try directory.contents("app.key"), as: UTF8.self)
        #expect(text.contains("\"cost\":131072,\"blockSize\":8,\"parallelism\":1"))
    }

    @Test func `derives the wrapping key once for all keys of a directory`() throws {
        let parameters = ScryptParameters(cost: 2, blockSize: 8, parallelism: 1)
        let cache = WrappingKeyCache(secret: passphrase, parameters: parameters)
        let derivation = cache.newDerivation()
        // The same secret bytes, not equal ones: nothing was derived the second time.
        #expect(try cache.key(for: derivation).encryption === cache.key(for: derivation).encryption)
    }

    @Test(arguments: [
        KeyFileSecret.passphrase([]), .credential([]), .credential([UInt8](0..<31)), .credential([UInt8](0..<33)),
    ])
    func `refuses an empty passphrase and a credential that is not 32 octets`(secret: KeyFileSecret) {
        #expect { try EncryptedFileKeyStore(directory: directory.keys, secret: secret) } throws: {
            ($0 as? KeyStoreError)?.code == .invalidSecret
        }
    }

    @Test func `a secret does not print`() {
        var dumped = ""
        dump(passphrase, to: &dumped)
        for text in ["\(passphrase)", String(reflecting: passphrase), String(describing: [passphrase]), dumped] {
            #expect(!text.contains("correct"))
            #expect(!text.contains("99"))
        }
    }
}
#endif
