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

    @Test func `tokens of a newer version are said, and neither deleted nor replaced`() async throws {
        let server = try await signedIn()
        let file = tokenFile(at: server)
        let newer = #"{"v":99,"access_token":"a"}"#
        try directory.write(newer, to: file)
        let login = SignInTool.arguments(at: server.issuer) + ["--unencrypted-key-file"]
        for command in [["token", "show"], ["token", "refresh"], ["logout"], login] {
            let result = try await KeyboundProcess.run(command, in: directory)
            #expect(result.status == 3, Comment(rawValue: result.errors))
            #expect(
                result.errors.contains(
                    "keybound: the stored tokens were written by a newer version of this program; update it\n"
                ),
                Comment(rawValue: result.errors)
            )
            #expect(try directory.text(of: file) == newer)
        }
        // The account is still there for the newer version.
        #expect(try await run("keys", "show").status == 0)
        _ = await server.stop()
    }
}
#endif
