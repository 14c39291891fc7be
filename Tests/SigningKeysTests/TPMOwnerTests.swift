// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import JOSE
import TestSupport
import Testing

@testable import SigningKeys

private let environment = ProcessInfo.processInfo.environment
/// How the other process of this test reaches the TPM; not set in a normal run.
private let childTPM = environment["KEYBOUND_TEST_TPM_OWNER"]

@Suite("The owner of a TPM")
struct TPMOwnerTests {
    /// `TPM2_CreatePrimary` in the hierarchy of the owner (TPM 2.0 Part 2 sections 6.5.2 and 7.4).
    private static let demand: [UInt8] = [0x00, 0x00, 0x01, 0x31, 0x40, 0x00, 0x00, 0x01]

    /// In a process of its own, since the library finds the name of the file to log to in the environment.
    @Test(arguments: [nil, "ownes"])
    func `a wrong authorization value goes to the TPM once for each call`(wrong: String?) async throws {
        try #require(childTPM == nil)
        let fixture = try await TPMFixture()
        try await fixture.tpm.expect("tpm2_changeauth -c o owner")
        let log = fixture.directory.path + "/commands.pcap"
        var variables = [
            "KEYBOUND_TEST_TPM_OWNER": "pcap:" + fixture.tpm.tcti, "KEYBOUND_TEST_TPM_KEYS": fixture.directory.keys,
            "TCTI_PCAP_FILE": log,
        ]
        variables["KEYBOUND_TEST_TPM_VALUE"] = wrong
        let child = try ChildProcess(
            FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"),
            ["--testing-library", "swift-testing", "--filter", "TPMOwnerChild"],
            environment: environment.merging(variables) { $1 },
            directory: fixture.directory.path
        )
        let result = await child.result()
        #expect(result.status == 0, "\(result.output.suffix(2000))\(result.errors.suffix(2000))")
        let commands = try Data(contentsOf: URL(fileURLWithPath: log))
        var (count, rest) = (0, commands[...])
        while let found = rest.firstRange(of: Self.demand) {
            count += 1
            rest = rest[found.upperBound...]
        }
        #expect(count == 2)
    }
}

@Suite("What a process does that is not the owner", .enabled(if: childTPM != nil))
struct TPMOwnerChild {
    @Test func `asks for a key twice`() async throws {
        for _ in 0..<2 {
            let store = try TPMKeyStore(
                directory: #require(environment["KEYBOUND_TEST_TPM_KEYS"]),
                tcti: #require(childTPM),
                ownerAuthorization: environment["KEYBOUND_TEST_TPM_VALUE"].map { Array($0.utf8) },
                idleTime: .zero
            )
            #expect(
                await failure { _ = try await store.loadOrGenerate(alias: KeyAlias("app")) } == .wrongPIN
            )
        }
    }
}
#endif
