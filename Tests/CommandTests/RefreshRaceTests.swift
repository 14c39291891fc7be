// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import TestSupport
import Testing

@Suite("Two processes that refresh one account, and get killed")
struct RefreshRaceTests {
    /// `KEYBOUND_REFRESH_ROUNDS=500 make test ARGS="--filter RefreshRace"` makes a thousand refreshes.
    private static let rounds =
        ProcessInfo.processInfo.environment["KEYBOUND_REFRESH_ROUNDS"].flatMap { Int($0) } ?? 12

    @Test func `no kill loses the session, and the server never sees a refresh token used twice`() async throws {
        let directory = try TemporaryDirectory()
        let tool = try SignInTool(in: directory)
        let options = ["--unencrypted-key-file", "--audit-log", "audit.log"]
        let server = try await ServedIssuer(in: directory, options: options)
        try await tool.register()
        let signedIn = try await tool.signIn(at: server.issuer, options: ["--unencrypted-key-file"])
        #expect(signedIn.status == 0, Comment(rawValue: signedIn.errors))
        let chance = SeededEntropy(seed: 7)
        var killed = 0
        for round in 0..<Self.rounds {
            let processes = try (0..<2).map { _ in try KeyboundProcess(["token", "refresh"], in: directory) }
            // From before it reads the account to after it has stored the new tokens.
            let byte = Int(chance.bytes(1)[0])
            let delay = byte * byte / 256
            try await Task.sleep(for: .milliseconds(delay))
            processes[round % 2].kill()
            let victim = await processes[round % 2].result()
            if victim.status != 0 { killed += 1 }
            let survivor = await processes[1 - round % 2].result()
            #expect(survivor.status == 0, "round \(round), killed after \(delay) ms: \(survivor.errors)")
        }
        print("RefreshRace: \(2 * Self.rounds) refreshes, \(killed) of them killed")
        #expect(killed > 0)
        let after = try await KeyboundProcess.run(["token", "refresh"], in: directory)
        #expect(after.status == 0, Comment(rawValue: after.errors))
        _ = await server.stop()
        let audit = try directory.text(of: "audit.log")
        #expect(audit.contains("token_refreshed"))
        #expect(!audit.contains("reuse_detected") && !audit.contains("grant_revoked"))
    }
}
#endif
