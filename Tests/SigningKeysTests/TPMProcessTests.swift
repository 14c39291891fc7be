// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import JOSE
import TestSupport
import Testing

@testable import SigningKeys

/// How the other processes of these tests reach the TPM; not set in a normal run.
private let childTPM = ProcessInfo.processInfo.environment["KEYBOUND_TEST_TPM"]

@Suite("Keys of a TPM and several processes")
struct TPMProcessTests {
    private static let aliasCount = 100

    /// Starts this program again, for the test of the suite below.
    private func child(_ fixture: TPMFixture, _ shell: String = #"exec "$@""#, count: Int) throws -> ChildProcess {
        let executable = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let variables = [
            "KEYBOUND_TEST_TPM": fixture.tpm.tcti, "KEYBOUND_TEST_TPM_KEYS": fixture.directory.keys,
            "KEYBOUND_TEST_TPM_COUNT": "\(count)",
        ]
        return try ChildProcess(
            "/bin/sh",
            ["-c", shell, "sh", executable, "--testing-library", "swift-testing", "--filter", "TPMChildProcess"],
            environment: ProcessInfo.processInfo.environment.merging(variables) { $1 },
            directory: fixture.directory.path
        )
    }

    /// What the children print of each key that they got.
    private static func lines(_ result: ChildProcess.Result) -> [String] {
        result.output.split(separator: "\n").map(String.init).filter { $0.hasPrefix("alias ") }
    }

    @Test func `two processes make a hundred keys at once, one for each alias`() async throws {
        try #require(childTPM == nil)
        let fixture = try await TPMFixture()
        let children = try [child(fixture, count: Self.aliasCount), child(fixture, count: Self.aliasCount)]
        var answers: [[String]] = []
        for child in children {
            let result = await child.result()
            #expect(result.status == 0, "\(result.output) \(result.errors)")
            answers.append(Self.lines(result))
        }
        #expect(answers[0].count == Self.aliasCount)
        #expect(Set(answers[0]) == Set(answers[1]))
        let store = try fixture.store()
        #expect(try await store.aliases().count == Self.aliasCount)
        let key = try #require(try await store.load(KeyAlias("key-7")))
        #expect(answers[0].contains("alias key-7 \(key.publicKey.thumbprint)"))
    }

    @Test func `a full disk leaves no half key`() async throws {
        try #require(childTPM == nil)
        let fixture = try await TPMFixture()
        // No file may grow: what a full disk is, also for root.
        let result = try await child(fixture, #"trap "" XFSZ; ulimit -f 0; exec "$@""#, count: 1).result()
        #expect(result.status != 0)
        #expect(Self.lines(result) == [])
        #expect((result.output + result.errors).contains("storageFailed"))
        #expect(try fixture.directory.names() == [".lock"])
        #expect(try await fixture.store().load(fixture.alias) == nil)
        #expect(try await fixture.works(fixture.store().loadOrGenerate(alias: fixture.alias)))
    }
}

@Suite("What the other processes with a TPM do", .enabled(if: childTPM != nil))
struct TPMChildProcess {
    @Test func `makes or opens keys`() async throws {
        let variables = ProcessInfo.processInfo.environment
        let store = try TPMKeyStore(
            directory: #require(variables["KEYBOUND_TEST_TPM_KEYS"]),
            tcti: #require(childTPM),
            idleTime: .zero
        )
        for number in 0..<(Int(variables["KEYBOUND_TEST_TPM_COUNT"] ?? "") ?? 0) {
            let alias = try KeyAlias("key-\(number)")
            let key = try await store.loadOrGenerate(alias: alias)
            print("alias \(alias) \(key.publicKey.thumbprint)")
        }
    }
}
#endif
