// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthClient
import TestSupport
import Testing

@Suite("keybound login at a fixed port")
struct RedirectPortTests {
    @Test func `a port in use is an error at once, and not after the passphrase`() async throws {
        let other = try LoopbackReceiver(redirectURI: "http://127.0.0.1:\(FreePort.next())/callback")
        let result = try await KeyboundProcess.run(
            ["login", "https://auth.example.com", "--client-id", "tool", "--redirect-uri", other.redirectURI],
            in: TemporaryDirectory()
        )
        withExtendedLifetime(other) {}
        #expect(result.status == 3)
        #expect(
            result.errors.contains("another program may use it; leave the port out"),
            Comment(rawValue: result.errors)
        )
        #expect(!result.errors.contains("passphrase"))
    }
}
#endif
