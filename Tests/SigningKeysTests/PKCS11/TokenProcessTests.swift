// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import TestSupport
import Testing

@Suite("Keys in tokens", .enabled(if: !TokenStage.isPrepared))
struct TokenProcessTests {
    /// Runs the suites that begin with PKCS11; what they say of failures is shown.
    @Test func `all tests of tokens pass in a process that has some`() async throws {
        let directory = try TemporaryDirectory(inMemory: ())
        try await TokenStage.prepare(directory.path)
        let child = try ChildProcess(
            try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"),
            // One after the other: SoftHSM fails now and then when threads make keys at once, in different tokens too.
            ["--testing-library", "swift-testing", "--no-parallel", "--filter", #"\.PKCS11"#],
            environment: TokenStage.environment(directory.path),
            directory: directory.path
        )
        let result = await child.result()
        let said = result.output + result.errors
        // What stands below such a line belongs to it, up to the next one that tells of a test.
        var isFailure = false
        let failures = said.split(separator: "\n").filter { line in
            if line.contains(/[✘✔◇]/) { isFailure = line.contains("✘") }
            return isFailure
        }
        #expect(result.status == 0, "\(failures.joined(separator: "\n"))")
        #expect(said.contains(/Test run with [1-9][0-9] tests/), "\(said.suffix(2000))")
    }
}
#endif
