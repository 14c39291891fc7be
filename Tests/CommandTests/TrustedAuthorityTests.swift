// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import TestSupport
import Testing

@Suite("keybound with a certificate authority of the company")
struct TrustedAuthorityTests {
    /// Signs in at a server that is none: how far it gets shows whether its certificate was trusted.
    private func login(at server: PythonServer, authorities: String?) async throws -> String {
        let directory = try TemporaryDirectory()
        let result = try await KeyboundProcess.run(
            SignInTool.arguments(at: server.base, clientID: "app") + ["--unencrypted-key-file", "--show-url"],
            in: directory,
            environment: authorities.map { ["SSL_CERT_FILE": $0, "no_proxy": "*"] } ?? ["no_proxy": "*"]
        )
        #expect(result.status != 0)
        return result.errors
    }

    @Test func `the file that SSL_CERT_FILE names is trusted, and without it only the authorities of the system`()
        async throws
    {
        let server = try await PythonServer(.tls)
        for authorities in [nil, ""] {
            let refused = try await login(at: server, authorities: authorities)
            #expect(refused.contains("certificate of the server is not trusted"), Comment(rawValue: refused))
        }
        #expect(server.events.isEmpty)
        _ = try await login(at: server, authorities: server.authorityFile)
        #expect(try await server.events(1).first?.hasPrefix("GET /.well-known/") == true)
    }

    @Test func `a file that cannot be read is an error that says so, and nothing is sent`() async throws {
        let server = try await PythonServer(.tls)
        let missing = try await login(at: server, authorities: "/nowhere.pem")
        #expect(missing.contains("the file of certificate authorities cannot be read"), Comment(rawValue: missing))
        #expect(server.events.isEmpty)
    }
}
#endif
