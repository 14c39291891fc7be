// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import OAuthClient
import TestSupport
import Testing

@Suite("keybound, and stored tokens that it cannot read")
struct StoredTokenTests {
    private let directory: TemporaryDirectory
    private let tool: SignInTool

    init() throws {
        directory = try TemporaryDirectory()
        tool = try SignInTool(in: directory)
    }

    private func run(_ arguments: String...) async throws -> KeyboundProcess.Result {
        try await KeyboundProcess.run(arguments, in: directory)
    }

    /// A server at which the user is signed in.
    private func signedIn() async throws -> ServedIssuer {
        let server = try await ServedIssuer(in: directory)
        try await tool.register()
        try await signIn(at: server)
        return server
    }

    private func signIn(at server: ServedIssuer) async throws {
        let result = try await tool.signIn(at: server.issuer, options: ["--unencrypted-key-file"])
        #expect(result.status == 0, Comment(rawValue: result.errors))
    }

    /// Where the tokens are, in the directory of the test.
    private func tokenFile(at server: ServedIssuer) -> String {
        let account = ClientAccount(issuer: server.issuer, clientID: "tool").identifier
        return "state/keybound/accounts/\(account)/tokens.json"
    }

    @Test(arguments: ["", "{}"])
    func `damaged tokens do not keep a user from a new sign-in`(_ damaged: String) async throws {
        let server = try await signedIn()
        try directory.write(damaged, to: tokenFile(at: server))
        #expect(try await run("token", "refresh").status != 0)
        try await signIn(at: server)
        let refreshed = try await run("token", "refresh")
        #expect(refreshed.status == 0, Comment(rawValue: refreshed.errors))
        _ = await server.stop()
    }
}
#endif
