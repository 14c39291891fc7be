// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import JOSE
import TestSupport
import Testing

@testable import SigningKeys

/// How the other process of this test reaches the TPM; not set in a normal run.
private let childTPM = ProcessInfo.processInfo.environment["KEYBOUND_TEST_TPM"]

@Suite("Keys of a TPM and another process")
struct TPMProcessTests {
    @Test func `a full disk leaves no half key`() async throws {
        try #require(childTPM == nil)
        let fixture = try await TPMFixture()
        let executable = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        // No file may grow: what a full disk is, also for root.
        let shell = ["-c", #"trap "" XFSZ; ulimit -f 0; exec "$@""#, "sh", executable]
        let child = try ChildProcess(
            "/bin/sh",
            shell + ["--testing-library", "swift-testing", "--filter", "TPMChildProcess"],
            environment: ProcessInfo.processInfo.environment.merging([
                "KEYBOUND_TEST_TPM": fixture.tpm.tcti, "KEYBOUND_TEST_TPM_KEYS": fixture.directory.keys,
                "KEYBOUND_TEST_TPM_ALIAS": fixture.alias.text,
            ]) { $1 },
            directory: fixture.directory.path
        )
        let result = await child.result()
        #expect(result.status != 0)
        #expect((result.output + result.errors).contains("storageFailed"))
        #expect(try fixture.directory.names() == [".lock"])
        #expect(try await fixture.store().load(fixture.alias) == nil)
        #expect(try await fixture.works(fixture.store().loadOrGenerate(alias: fixture.alias)))
    }
}

@Suite("What the other process with a TPM does", .enabled(if: childTPM != nil))
struct TPMChildProcess {
    @Test func `makes a key`() async throws {
        let variables = ProcessInfo.processInfo.environment
        let store = try TPMKeyStore(
            directory: #require(variables["KEYBOUND_TEST_TPM_KEYS"]),
            tcti: #require(childTPM),
            idleTime: .zero
        )
        _ = try await store.loadOrGenerate(alias: KeyAlias(#require(variables["KEYBOUND_TEST_TPM_ALIAS"])))
    }
}
#endif
