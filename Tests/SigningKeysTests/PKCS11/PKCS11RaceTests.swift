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
        try await race("race", aliases: 100, locks: ["lock", "lock"])
    }

    @Test func `so do two machines, which do not see each other's locks`() async throws {
        try await race("machines", aliases: 20, locks: ["machine-a", "machine-b"])
    }

    private func race(_ token: String, aliases: Int, locks: [String]) async throws {
        let directory = try #require(TokenStage.directory)
        let executable = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let children = try locks.enumerated().map { number, lock in
            try ChildProcess(
                executable,
                ["--testing-library", "swift-testing", "--filter", #"\.TokenRaceChild"#],
                environment: TokenStage.environment(directory).merging([
                    "KEYBOUND_TEST_TOKEN": token, "KEYBOUND_TEST_LOCK": lock, "KEYBOUND_TEST_COUNT": "\(aliases)",
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
        let listed = try await TokenStage.tool(token, ["--list-objects", "--type", "privkey"])
        #expect(listed.split(separator: "\n").count { $0.hasPrefix("Private Key Object") } == aliases)
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
        let store = try TokenStage.store(token, lock: try #require(environment["KEYBOUND_TEST_LOCK"]))
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
