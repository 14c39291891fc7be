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
    enum Kind: String, CaseIterable {
        case encryptedFile, secretService, managerOfTPM
    }

    /// 20, or what `KEYBOUND_TEST_RACE_COUNT` says: 100 for a long look.
    private static let aliasCount = Int(environment["KEYBOUND_TEST_RACE_COUNT"] ?? "") ?? 20

    /// A store that knows nothing of the others of its directory; what it asks for is reached by an address.
    static func store(_ kind: Kind, _ directory: String, _ address: String) throws -> any KeyStore {
        switch kind {
        case .encryptedFile:
            return try FileKeyStoreTests.encrypted(directory, .credential([UInt8](0..<32)))
        case .secretService:
            return try SecretServiceKeyStore(directory: directory, name: "com.example.race", busAddress: address)
        case .managerOfTPM:
            return KeyManager(
                hardware: [KeyLocation("tpm", try TPMKeyStore(directory: directory, tcti: address, idleTime: .zero))],
                software: KeyLocation("file", UnencryptedFileKeyStore(directory: directory + "-software")),
                placements: FileKeyLocationStore(directory: directory)
            )
        }
    }

    @Test(arguments: Kind.allCases)
    func `come to one key for each name`(kind: Kind) async throws {
        try #require(childKind == nil)
        let directory = try TemporaryDirectory()
        let desktop = kind == .secretService ? try await Desktop(in: directory.path) : nil
        let tpm = kind == .managerOfTPM ? try await SoftwareTPM(directory: directory.path + "/tpm") : nil
        let address = desktop?.busAddress ?? tpm?.tcti ?? ""
        let made = try await race(kind, directory, address)
        try #require(made[0].count == Self.aliasCount)
        #expect(made[0] == made[1])
        #expect(Set(made[0]).count == Self.aliasCount)
        let store = try Self.store(kind, directory.keys, address)
        #expect(try await store.aliases().count == Self.aliasCount)
        for (number, thumbprint) in made[0].enumerated() {
            let key = try #require(try await store.load(KeyAlias("key-\(number)")))
            #expect(key.publicKey.thumbprint.description == thumbprint)
        }
        if kind == .managerOfTPM { #expect(!FileManager.default.fileExists(atPath: directory.keys + "-software")) }
        await desktop?.end()
        await tpm?.stop()
    }

    /// What each of two processes got, in the order of the names.
    private func race(_ kind: Kind, _ directory: TemporaryDirectory, _ address: String) async throws -> [[String]] {
        let executable = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let children = try (0..<2).map { number in
            try ChildProcess(
                executable,
                ["--testing-library", "swift-testing", "--filter", "KeyStoreRaceChild"],
                environment: environment.merging([
                    "KEYBOUND_TEST_RACE": kind.rawValue, "KEYBOUND_TEST_RACE_COUNT": "\(Self.aliasCount)",
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
        return made
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
        let number = try #require(environment["KEYBOUND_TEST_RACE_CHILD"])
        #expect(FileManager.default.createFile(atPath: directory + "/ready-\(number)", contents: nil))
        try await waitForFile(directory + "/go")
        for number in 0..<(Int(environment["KEYBOUND_TEST_RACE_COUNT"] ?? "") ?? 0) {
            print("made \(try await store.loadOrGenerate(alias: KeyAlias("key-\(number)")).publicKey.thumbprint)")
        }
    }
}
#endif
