// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import JOSE
import KeyStoreSuite
import Testing

@testable import SigningKeys

@Suite("The store of keys in tokens", .enabled(if: TokenStage.isPrepared))
struct PKCS11StoreTests {
    private let message = Array("message".utf8)

    @Test func `keeps the promises of a key store`() async throws {
        let algorithms: [SignatureAlgorithm] = [.es384, .rs256, .ps256]
        try await KeyStoreBehaviour(
            TokenStage.store("suite"),
            protection: .osProtected,
            algorithms: algorithms,
            deletedKeysSign: false
        ) { try TokenStage.store("suite", sessions: 2) }.check()
        let left = try await TokenStage.tool("suite", ["--list-objects"])
        #expect(!left.contains("Key Object"), "\(left)")
    }

    @Test func `signatures are valid for other programs`() async throws {
        let directory = try #require(TokenStage.directory)
        let store = try TokenStage.store("verify")
        try Data(message).write(to: URL(fileURLWithPath: directory + "/message"))
        let cases: [(SignatureAlgorithm, [String])] = [
            (.es256, ["-sha256"]), (.rs256, ["-sha256"]),
            (.ps256, ["-sha256", "-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_pss_saltlen:32"]),
        ]
        for (algorithm, options) in cases {
            let name = algorithm.rawValue
            let key = try await store.loadOrGenerate(alias: KeyAlias(name), algorithm: algorithm)
            let signature = try await key.sign(message)
            #expect(signature.count == (algorithm == .es256 ? 64 : 384))
            let written = algorithm == .es256 ? ECDSASigValue.encode(signature) : signature
            try Data(written).write(to: URL(fileURLWithPath: "\(directory)/\(name).signature"))
            let object = [
                "--read-object", "--type", "pubkey", "--label", name, "--output-file", "\(directory)/\(name).key",
            ]
            try await TokenStage.tool("verify", object)
            let verify = ["dgst"] + options + ["-keyform", "DER", "-verify", "\(name).key"]
            let answer = try await TokenStage.run(
                "openssl",
                verify + ["-signature", "\(name).signature", "message"],
                directory
            )
            #expect(answer.contains("Verified OK"))
        }
        try await checkP384(try await store.loadOrGenerate(alias: KeyAlias("ES384"), algorithm: .es384), directory)
    }

    /// The tool cannot write a public key on P-384, but shows its point.
    private func checkP384(_ key: any SigningKey, _ directory: String) async throws {
        let signature = try await key.sign(message)
        #expect(signature.count == 96)
        try Data(ECDSASigValue.encode(signature)).write(to: URL(fileURLWithPath: directory + "/ES384.signature"))
        let shown = try await TokenStage.tool("verify", ["--list-objects", "--type", "pubkey", "--label", "ES384"])
        let point = try #require(shown.firstMatch(of: /EC_POINT:\s+0461([0-9a-f]{194})/)?.1)
        // A `SubjectPublicKeyInfo` of EC on secp384r1 (RFC 5480 section 2).
        let head = "3076301006072a8648ce3d020106052b81040022036200"
        let octets = try stride(from: 0, to: head.count + 194, by: 2).map { offset in
            try #require(UInt8((head + point).dropFirst(offset).prefix(2), radix: 16))
        }
        try Data(octets).write(to: URL(fileURLWithPath: directory + "/ES384.key"))
        let verify = ["dgst", "-sha384", "-keyform", "DER", "-verify", "ES384.key", "-signature", "ES384.signature"]
        #expect(try await TokenStage.run("openssl", verify + ["message"], directory).contains("Verified OK"))
    }

    @Test func `keys sign only, and the token is told to keep them`() async throws {
        let store = try TokenStage.store("facts")
        let alias = try KeyAlias("kept")
        let key = try await store.loadOrGenerate(alias: alias)
        let listed = try await TokenStage.tool("facts", ["--list-objects", "--type", "privkey"])
        #expect(listed.contains("Usage:      sign\n"))
        #expect(listed.contains("Access:     sensitive, always sensitive, never extractable, local"))
        let facts = try #require(try await store.facts(about: alias))
        let values = Dictionary(uniqueKeysWithValues: facts.map { ($0.name, $0.value) })
        #expect(values["token"] == "facts")
        #expect(values["manufacturer"] == "SoftHSM project")
        #expect(values["model"] == "SoftHSM v2")
        #expect(values["hardware"] == "no")
        #expect(values["extractable"] == "no")
        #expect(values["never extractable"] == "yes")
        #expect(values["made in the token"] == "yes")
        #expect(values["protection"] == "os-protected")
        #expect(values["identifier"]?.hasPrefix("45533235363a") == true)
        #expect(values["serial number"]?.isEmpty == false)
        let origin = try #require(try await store.origin(of: alias, expecting: key.publicKey))
        #expect(origin.publicKey == key.publicKey && origin.neverLeft && origin.protection == .osProtected)
        #expect(try await store.origin(of: KeyAlias("nobody"), expecting: key.publicKey) == nil)
    }

    @Test func `a key is found by its public half, and no other key signs for that`() async throws {
        let generate = ["--keypairgen", "--usage-sign", "--key-type"]
        let always = ["--always-auth"]
        try await TokenStage.tool("naming", generate + ["EC:secp521r1", "--id", "01", "--label", "a"])
        try await TokenStage.tool("naming", generate + ["EC:prime256v1", "--id", "02", "--label", "b"] + always)
        try await TokenStage.tool("naming", generate + ["EC:prime256v1", "--id", "03", "--label", "c"])
        try await TokenStage.tool("naming", generate + ["EC:prime256v1", "--id", "04", "--label", "c"])
        let module = try FaultyModule()
        let store = try TokenStage.store("naming", module: module.path)
        let key = try await store.loadOrGenerate(alias: KeyAlias("ours"))
        let stranger = try await MemoryKeyStore().loadOrGenerate(alias: KeyAlias("ours"))
        let (signatures, logins) = (try module.calls("C_SignInit"), try module.calls("C_Login"))
        #expect(try await store.alias(of: key.publicKey)?.text == "ours")
        #expect(try await store.alias(of: stranger.publicKey) == nil)
        // A stranger may name any key: one that is not the stranger's is not used.
        let named = try #require(try await store.origin(of: KeyAlias("b"), expecting: stranger.publicKey))
        #expect(named.publicKey != stranger.publicKey)
        #expect(try module.calls("C_SignInit") == signatures)
        #expect(try module.calls("C_Login") == logins)
        // The expected key is tested: its public half could be that of another key.
        let other = try TokenStage.store("naming", module: module.path)
        #expect(try await other.origin(of: KeyAlias("ours"), expecting: key.publicKey)?.publicKey == key.publicKey)
        #expect(try module.calls("C_SignInit") == signatures + 1)
    }

    @Test func `keys of other programs open by label and by identifier`() async throws {
        let generate = ["--keypairgen", "--usage-sign", "--key-type"]
        try await TokenStage.tool("existing", generate + ["EC:prime256v1", "--id", "01", "--label", "their key"])
        try await TokenStage.tool("existing", generate + ["rsa:2048", "--id", "02", "--label", "rsa"])
        try await TokenStage.tool("existing", generate + ["EC:secp521r1", "--id", "03", "--label", "p521"])
        try await TokenStage.tool("existing", generate + ["EC:prime256v1", "--id", "04", "--label", "rsa2"])
        try await TokenStage.tool("existing", generate + ["EC:prime256v1", "--id", "05", "--label", "rsa2"])
        let store = try TokenStage.store("existing")
        let first = try #require(try await store.load(label: "their key", id: nil))
        #expect(try await store.load(label: nil, id: [1])?.publicKey == first.publicKey)
        #expect(try await store.load(label: "their key", id: [2]) == nil)
        #expect(try await first.works())
        for algorithm in [SignatureAlgorithm.rs256, .ps256] {
            let key = try #require(try await store.load(label: nil, id: [2], algorithm: algorithm))
            #expect(key.algorithm == algorithm)
            #expect(try await key.works())
        }
        #expect(try await store.load(KeyAlias("rsa"))?.algorithm == .rs256)
        #expect(try await store.loadOrGenerate(alias: KeyAlias("rsa"), algorithm: .ps256).algorithm == .ps256)
        #expect(await failure { _ = try await store.load(KeyAlias("p521")) } == .unsupportedAlgorithm)
        #expect(await failure { _ = try await store.load(KeyAlias("rsa2")) } == .deviceFailed)
        #expect(await failure { try await store.delete(KeyAlias("rsa2")) } == .deviceFailed)
        #expect(try await store.load(label: nil, id: [5]) != nil)
        #expect(try await store.aliases().map(\.text) == ["p521", "rsa", "rsa2"])
        #expect(await failure { _ = try await store.load(label: nil, id: nil) } == .invalidAlias)
    }

    @Test func `a key whose private half is gone is lost, not made again`() async throws {
        let store = try TokenStage.store("half")
        let alias = try KeyAlias("half")
        _ = try await store.loadOrGenerate(alias: alias)
        try await TokenStage.tool("half", ["--delete-object", "--type", "privkey", "--label", "half"])
        #expect(await failure { _ = try await store.load(alias) } == .keyLost)
        #expect(await failure { _ = try await store.loadOrGenerate(alias: alias) } == .keyLost)
        try await store.delete(alias)
        #expect(try await store.load(alias) == nil)
        _ = try await store.loadOrGenerate(alias: alias)
    }

    @Test func `a key that wants the PIN for each signature gets it`() async throws {
        let made = ["--keypairgen", "--usage-sign", "--key-type", "EC:prime256v1", "--id", "01", "--label", "careful"]
        try await TokenStage.tool("always", made + ["--always-auth"])
        let module = try FaultyModule()
        let store = try TokenStage.store("always", module: module.path)
        let key = try #require(try await store.load(KeyAlias("careful")))
        for _ in 0..<3 {
            #expect(try await key.works())
        }
        // At login, when it was tried, and for each signature.
        #expect(try module.calls("C_Login") == 5)
        #expect(
            try await store.facts(about: KeyAlias("careful"))?.contains(KeyFact("pin for each signature", "yes"))
                == true
        )
        // A signature that is not confirmed does not stand in the way of the next one.
        try module.fail("C_Login", 0x50)
        #expect(await failure { _ = try await key.sign(message) } == .userCanceled)
        #expect(try await key.works())
    }

    @Test func `ten thousand signatures`() async throws {
        let key = try await TokenStage.store("many").loadOrGenerate(alias: KeyAlias("many"))
        var signature: [UInt8] = []
        for _ in 0..<10_000 { signature = try await key.sign(message) }
        #expect(key.publicKey.isValidSignature(signature, for: message, algorithm: .es256))
    }
}
#endif
