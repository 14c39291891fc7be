// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import JOSE
import TestSupport
import Testing

@testable import SigningKeys

private let environment = ProcessInfo.processInfo.environment
/// Which store the other process of these tests opens; not set in a normal run.
private let childKind = environment["KEYBOUND_TEST_RACE"].flatMap { KeyStoreRaceTests.Kind(rawValue: $0) }

@Suite("Two processes that make the same keys at once")
struct KeyStoreRaceTests {
    enum Kind: String {
        case encryptedFile, secretService, tpm, managerOfTPM, token
    }

    /// `KEYBOUND_TEST_RACE_COUNT` says another number: 100 for a long look.
    private static func aliasCount(_ kind: Kind) -> Int {
        Int(environment["KEYBOUND_TEST_RACE_COUNT"] ?? "") ?? (kind == .tpm ? 100 : 20)
    }

    /// A store that knows nothing of the others of its directory; what it asks for is reached by an address: the label of
    /// a token, and otherwise that of a bus or a TPM.
    static func store(_ kind: Kind, _ directory: String, _ address: String) throws -> any KeyStore {
        switch kind {
        case .encryptedFile:
            return try FileKeyStoreTests.encrypted(directory, .credential([UInt8](0..<32)))
        case .secretService:
            return try SecretServiceKeyStore(directory: directory, name: "com.example.race", busAddress: address)
        case .tpm:
            return try TPMKeyStore(directory: directory, tcti: address, idleTime: .zero)
        case .managerOfTPM:
            return KeyManager(
                hardware: [KeyLocation("tpm", try TPMKeyStore(directory: directory, tcti: address, idleTime: .zero))],
                software: KeyLocation("file", UnencryptedFileKeyStore(directory: directory + "-software")),
                placements: FileKeyLocationStore(directory: directory)
            )
        case .token:
            return try TokenStage.store(address)
        }
    }

    /// Tokens need a process of their own, see `PKCS11RaceTests`.
    @Test(arguments: [Kind.encryptedFile, .secretService, .tpm, .managerOfTPM])
    func `come to one key for each name`(kind: Kind) async throws {
        try #require(childKind == nil)
        let directory = try TemporaryDirectory()
        let desktop = kind == .secretService ? try await Desktop(in: directory.path) : nil
        let needsTPM = kind == .tpm || kind == .managerOfTPM
        let tpm = needsTPM ? try await SoftwareTPM(directory: directory.path + "/tpm") : nil
        let address = desktop?.busAddress ?? tpm?.tcti ?? ""
        let count = Self.aliasCount(kind)
        let made = try await Self.race(kind, directory, address, count: count)
        let store = try Self.store(kind, directory.keys, address)
        #expect(try await store.aliases().count == count)
        for (number, thumbprint) in made.enumerated() {
            let key = try #require(try await store.load(KeyAlias("key-\(number)")))
            #expect(key.publicKey.thumbprint.description == thumbprint)
        }
        if kind == .managerOfTPM { #expect(!FileManager.default.fileExists(atPath: directory.keys + "-software")) }
        await desktop?.end()
        await tpm?.stop()
    }

    /// Lets two processes make or open the same keys at once, and checks that both got the same ones.
    ///
    /// - Returns: The thumbprints, in the order of the names.
    static func race(
        _ kind: Kind,
        _ directory: TemporaryDirectory,
        _ address: String,
        count: Int
    ) async throws -> [String] {
        let executable = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let children = try (0..<2).map { number in
            try ChildProcess(
                executable,
                ["--testing-library", "swift-testing", "--filter", "KeyStoreRaceChild"],
                environment: environment.merging([
                    "KEYBOUND_TEST_RACE": kind.rawValue, "KEYBOUND_TEST_RACE_COUNT": "\(count)",
                    "KEYBOUND_TEST_RACE_DIRECTORY": directory.path, "KEYBOUND_TEST_RACE_ADDRESS": address,
                    "KEYBOUND_TEST_RACE_CHILD": "\(number)",
                ]) { $1 },
                directory: directory.path
            )
        }
        for number in children.indices { try await waitForFile(directory.path + "/ready-\(number)") }
        #expect(FileManager.default.createFile(atPath: directory.path + "/go", contents: nil))
        var made: [[String]] = []
        for child in children {
            let result = await child.result()
            #expect(result.status == 0, "\(result.output.suffix(2000))\(result.errors.suffix(2000))")
            made.append(
                result.output.split(separator: "\n").filter { $0.hasPrefix("made ") }.map { String($0.dropFirst(5)) }
            )
        }
        try #require(made[0].count == count)
        #expect(made[0] == made[1])
        #expect(Set(made[0]).count == count)
        return made[0]
    }
}

@Suite("What the other processes of a race do", .enabled(if: childKind != nil))
struct KeyStoreRaceChild {
    @Test func `makes or opens keys when told to`() async throws {
        let directory = try #require(environment["KEYBOUND_TEST_RACE_DIRECTORY"])
        let store = try KeyStoreRaceTests.store(
            #require(childKind),
            directory + "/keys",
            environment["KEYBOUND_TEST_RACE_ADDRESS"] ?? ""
        )
        // A token is open from now on.
        #expect(try await store.aliases() == [])
        let number = try #require(environment["KEYBOUND_TEST_RACE_CHILD"])
        #expect(FileManager.default.createFile(atPath: directory + "/ready-\(number)", contents: nil))
        try await waitForFile(directory + "/go")
        for number in 0..<(Int(environment["KEYBOUND_TEST_RACE_COUNT"] ?? "") ?? 0) {
            print("made \(try await store.loadOrGenerate(alias: KeyAlias("key-\(number)")).publicKey.thumbprint)")
        }
    }
}
#endif
