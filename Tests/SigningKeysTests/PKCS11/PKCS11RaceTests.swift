// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import JOSE
import TestSupport
import Testing

@testable import SigningKeys

private let environment = ProcessInfo.processInfo.environment
/// What the other processes of these tests are to do; not set elsewhere.
private let childToken = environment["KEYBOUND_TEST_TOKEN"]

@Suite("Processes that make the same keys in a token", .enabled(if: TokenStage.isPrepared && childToken == nil))
struct PKCS11RaceTests {
    @Test func `two processes that make 100 keys at once come to the same ones`() async throws {
        try await race("race", aliases: 100)
    }

    /// In one process and through the module that does one thing at a time: processes see old states of SoftHSM.
    @Test func `machines that do not see each other's locks come to the same keys`() async throws {
        let module = try FaultyModule()
        let stores = try (0..<3).map { number in
            try TokenStage.store("machines", module: module.path, lock: "machine-\(number)")
        }
        for number in 0..<20 {
            let alias = try KeyAlias("key-\(number)")
            let thumbprints = try await withThrowingTaskGroup(of: JWKThumbprint.self) { group in
                for store in stores {
                    group.addTask { try await store.loadOrGenerate(alias: alias).publicKey.thumbprint }
                }
                return try await group.reduce(into: Set<JWKThumbprint>()) { $0.insert($1) }
            }
            #expect(thumbprints.count == 1)
        }
        try await checkKeys("machines", count: 20)
    }

    private func race(_ token: String, aliases: Int) async throws {
        let directory = try #require(TokenStage.directory)
        let executable = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let children = try (0..<2).map { number in
            try ChildProcess(
                executable,
                ["--testing-library", "swift-testing", "--filter", #"\.TokenRaceChild"#],
                environment: TokenStage.environment(directory).merging([
                    "KEYBOUND_TEST_TOKEN": token, "KEYBOUND_TEST_COUNT": "\(aliases)",
                    "KEYBOUND_TEST_CHILD": "\(directory)/\(token)-\(number)",
                ]) { $1 },
                directory: directory
            )
        }
        for number in children.indices { try await waitForFile("\(directory)/\(token)-\(number)-ready") }
        #expect(FileManager.default.createFile(atPath: "\(directory)/\(token)-go", contents: nil))
        for child in children {
            let result = await child.result()
            #expect(result.status == 0, "\(result.output.suffix(2000))\(result.errors.suffix(2000))")
        }
        let results = try children.indices.map { number in
            try String(contentsOfFile: "\(directory)/\(token)-\(number)", encoding: .utf8).split(separator: "\n")
        }
        #expect(results[0].count == aliases)
        #expect(results[0] == results[1])
        try await checkKeys(token, count: aliases)
    }

    private func checkKeys(_ token: String, count: Int) async throws {
        let listed = try await TokenStage.tool(token, ["--list-objects"])
        #expect(listed.split(separator: "\n").count { $0.hasPrefix("Private Key Object") } == count)
        #expect(listed.split(separator: "\n").count { $0.hasPrefix("Public Key Object") } == count)
        #expect(!listed.contains("~new"))
    }

    @Test func `a candidate of one that ended in the middle is cleared away, that of a stranger is waited for`()
        async throws
    {
        let alias = try KeyAlias("key")
        let store = try TokenStage.store("leftover", lock: "leftover-lock", patience: .milliseconds(100))
        _ = try await store.loadOrGenerate(alias: KeyAlias("other"))
        let domain = try Data(
            contentsOf: URL(fileURLWithPath: try #require(TokenStage.directory) + "/leftover-lock/domain")
        )
        let candidate = ["--keypairgen", "--key-type", "EC:prime256v1", "--label", "key~new", "--usage-sign", "--id"]
        // "ES256:", whose lock, and the rest.
        let ours =
            "45533235363a" + domain.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() + "01"
        try await TokenStage.tool("leftover", candidate + [ours])
        try await TokenStage.tool("leftover", candidate + ["45533235363a000000000000000001"])
        #expect(await TokenStage.code { _ = try await store.loadOrGenerate(alias: alias) } == .deviceFailed)
        let listed = try await TokenStage.tool("leftover", ["--list-objects"])
        #expect(!listed.contains(ours))
        #expect(listed.contains("45533235363a000000000000000001"))
        #expect(try await store.load(alias) == nil)
        try await TokenStage.tool("leftover", ["--delete-object", "--type", "privkey", "--label", "key~new"])
        _ = try await store.loadOrGenerate(alias: alias)
    }
}

@Suite("What the other processes do in a token", .enabled(if: childToken != nil))
struct TokenRaceChild {
    @Test func `makes keys when told to`() async throws {
        let token = try #require(childToken)
        let place = try #require(environment["KEYBOUND_TEST_CHILD"])
        let store = try TokenStage.store(token)
        #expect(try await store.aliases() == [])
        #expect(FileManager.default.createFile(atPath: place + "-ready", contents: nil))
        try await waitForFile(try #require(TokenStage.directory) + "/\(token)-go")
        var thumbprints: [String] = []
        for number in 0..<(Int(environment["KEYBOUND_TEST_COUNT"] ?? "") ?? 0) {
            let key = try await store.loadOrGenerate(alias: KeyAlias("key-\(number)"))
            thumbprints.append(key.publicKey.thumbprint.description)
        }
        try thumbprints.joined(separator: "\n").write(toFile: place, atomically: true, encoding: .utf8)
    }
}
#endif
