// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import HTTPServer
import Synchronization
import TestSupport
import Testing

@Suite("keybound mcp: the session behind it")
struct MCPSessionTests {
    private let directory: TemporaryDirectory
    private let tool: SignInTool

    init() throws {
        directory = try TemporaryDirectory()
        tool = try SignInTool(in: directory)
    }

    @Test func `a new sign-in keeps the scopes of the session, and asks for those of the challenge`() async throws {
        let server = try await ServedIssuer(in: directory)
        try await tool.register()
        let signedIn = try await tool.signIn(at: server.issuer, options: ["--unencrypted-key-file"])
        #expect(signedIn.status == 0, Comment(rawValue: signedIn.errors))
        let api = try HTTPListener(port: 0, threads: 1) { _ in
            let challenge = #"DPoP error="invalid_token", scope="notes:read notes:write""#
            return HTTPResponse(status: 401, fields: ["WWW-Authenticate": challenge])
        }
        let origin = "http://127.0.0.1:\(api.port)"
        let command = "keybound login \(server.issuer) --client-id tool --allow-insecure-loopback --scope "

        let rejected = try await call(origin)
        let advice = "the MCP server does not accept the token; sign in again: "
        #expect(rejected.output.contains(advice + command + "'notes:read notes:write'"), "\(rejected)")

        let revoked = try await KeyboundProcess.run(
            ["grant", "revoke", "--user", "ada", "--client", "tool", "--yes"],
            in: directory
        )
        #expect(revoked.status == 0, Comment(rawValue: revoked.errors))
        let ended = try await call(origin)
        #expect(ended.output.contains("the session has ended; run: " + command + "notes:read\""), "\(ended)")
        // The tokens are gone, and with them their scopes.
        let later = try await call(origin)
        #expect(later.output.contains(command + "notes:read\""), "\(later)")
        await api.stop(draining: .zero)
        _ = await server.stop()
    }

    @Test func `every request that is refused at the same time says how to sign in`() async throws {
        let server = try await ServedIssuer(in: directory)
        try await tool.register()
        let signedIn = try await tool.signIn(at: server.issuer, options: ["--unencrypted-key-file"])
        #expect(signedIn.status == 0, Comment(rawValue: signedIn.errors))
        let arrived = Mutex(0)
        let api = try HTTPListener(port: 0, threads: 1) { _ in
            arrived.withLock { $0 += 1 }
            // No request is refused before all have the same session.
            for _ in 0..<1500 where arrived.withLock({ $0 < 3 }) { try? await Task.sleep(for: .milliseconds(20)) }
            let challenge = #"DPoP error="insufficient_scope", scope="notes:write""#
            return HTTPResponse(status: 403, fields: ["WWW-Authenticate": challenge])
        }
        let refused = try await call("http://127.0.0.1:\(api.port)", count: 3)
        let answers = refused.output.split(separator: "\n")
        #expect(answers.count == 3, "\(refused)")
        for answer in answers {
            #expect(answer.contains("-32001") && answer.contains("--scope 'notes:read notes:write'"), "\(answer)")
        }
        await api.stop(draining: .zero)
        _ = await server.stop()
    }

    private func call(_ origin: String, count: Int = 1) async throws -> KeyboundProcess.Result {
        try await KeyboundProcess.run(
            ["mcp", origin + "/mcp", "--client-id", "tool", "--allow-origin", origin],
            input: (1...count).map { #"{"jsonrpc":"2.0","id":\#($0),"method":"tools/list"}"# + "\n" }.joined(),
            in: directory
        )
    }
}
#endif
