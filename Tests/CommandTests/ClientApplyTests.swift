// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import StrictJSON
import TestSupport
import Testing

@Suite("keybound client apply, on SQLite")
struct ClientApplyTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func run(_ line: String) async throws -> KeyboundProcess.Result {
        let words = line.split(separator: " ").map(String.init)
        return try await KeyboundProcess.run(words + ["--data-directory", directory.path + "/data"], in: directory)
    }

    private func apply(_ file: String, _ options: String...) async throws -> KeyboundProcess.Result {
        try directory.write(file, to: "clients.json")
        return try await KeyboundProcess.run(
            ["client", "apply", "clients.json", "--data-directory", directory.path + "/data"] + options,
            in: directory
        )
    }

    private func clients() async throws -> [JSONObject] {
        let listed = try await run("client list --json")
        return try JSONValue(parsing: Array(listed.output.utf8)).arrayValue?.compactMap(\.objectValue) ?? []
    }

    private static let file = """
        [ { "client_id": "tool", "client_name": "My tool", "redirect_uris": ["http://127.0.0.1/callback"],
            "scope": "notes:read", "post_logout_redirect_uris": ["http://127.0.0.1/bye"] },
          { "client_id": "billing", "token_endpoint_auth_method": "client_secret_basic",
            "grant_types": ["client_credentials"], "scope": "notes:read" } ]
        """

    @Test func `makes what is missing, changes what differs, and leaves secrets alone`() async throws {
        let first = try await apply(Self.file)
        #expect(first.status == 0, "\(first.errors)")
        let lines = first.output.split(separator: "\n")
        #expect(lines.prefix(2) == ["tool: added", "billing: added"] && lines.count == 3)
        #expect(lines.last?.hasPrefix("billing: client_secret kbs_") == true)

        let again = try await apply(Self.file)
        #expect(again.output == "tool: unchanged\nbilling: unchanged\n")

        let other = Self.file.replacingOccurrences(of: "My tool", with: "The tool")
            .replacingOccurrences(of: #", "post_logout_redirect_uris": ["http://127.0.0.1/bye"]"#, with: "")
        let difference = """
            tool: client_name: "My tool" -> "The tool"
            tool: post_logout_redirect_uris: ["http://127.0.0.1/bye"] -> -
            billing: unchanged

            """
        let before = try await clients()
        #expect(try await apply(other, "--dry-run").output == difference)
        #expect(try await clients() == before, "a dry run changes nothing")
        #expect(try await apply(other).output == difference)
        #expect(try await apply(other).output == "tool: unchanged\nbilling: unchanged\n")
        let shown = try await run("client show billing")
        #expect(shown.output.contains("secrets"), "the secret is still there")
    }

    @Test func `what the command lists is a file that changes nothing`() async throws {
        _ = try await apply(Self.file)
        _ = try await run(
            "client add --id page --application-type web --redirect-uri https://app.example/cb --scope notes:read "
                + "--allowed-web-origin https://app.example --id-token-alg ES256 --authorization-details-type files "
                + "--require-bound-authorization-codes --nonce-policy on-skew"
        )
        let listed = try await run("client list --json")
        let applied = try await apply(listed.output, "--prune", "--dry-run")
        #expect(applied.status == 0, "\(applied.errors)")
        #expect(applied.output == "billing: unchanged\npage: unchanged\ntool: unchanged\n")
    }

    @Test func `a dry run says what would be made and removed, also for scripts`() async throws {
        _ = try await run("client add --id old --redirect-uri http://127.0.0.1/callback")
        let told = try await apply(Self.file, "--prune", "--dry-run")
        #expect(told.status == 0, "\(told.errors)")
        #expect(told.output == "tool: would be added\nbilling: would be added\nold: would be removed\n")
        let result = try await apply(Self.file, "--prune", "--dry-run", "--json")
        let steps = try JSONValue(parsing: Array(result.output.utf8)).arrayValue?.compactMap(\.objectValue) ?? []
        #expect(steps.map { $0["action"]?.stringValue } == ["added", "added", "removed"])
        #expect(steps.allSatisfy { $0["client_secret"] == nil })
        #expect(try await clients().map { $0["client_id"]?.stringValue } == ["old"])

        let applied = try await apply(Self.file, "--json")
        let done = try JSONValue(parsing: Array(applied.output.utf8)).arrayValue?.compactMap(\.objectValue) ?? []
        #expect(done.map { $0["client_secret"]?.stringValue?.hasPrefix("kbs_") } == [nil, true])
    }

    @Test func `prune asks, and spares what registered itself`() async throws {
        for name in ["old", "agent"] {
            _ = try await run("client add --id \(name) --redirect-uri http://127.0.0.1/callback")
        }
        let shell = try ChildProcess(
            "/bin/sh",
            ["-ec", "sqlite3 data/keybound.db \"UPDATE clients SET origin = 'itself' WHERE client_id = 'agent'\""],
            environment: ["PATH": "/usr/bin:/bin"],
            directory: directory.path,
            input: ""
        )
        #expect(await shell.result().status == 0)
        let unasked = try await apply(Self.file, "--prune")
        #expect(unasked.status == 2)
        #expect(unasked.errors.contains("Remove the client old, and revoke every grant of it?"), "\(unasked.errors)")
        #expect(try await clients().count == 2, "nothing was changed before the answer")

        let pruned = try await apply(Self.file, "--prune", "--yes")
        #expect(pruned.status == 0, "\(pruned.errors)")
        #expect(pruned.output.hasSuffix("old: removed\n"))
        #expect(try await clients().map { $0["client_id"]?.stringValue } == ["agent", "billing", "tool"])

        let foreign = try await apply(
            #"[{ "client_id": "agent", "redirect_uris": ["http://127.0.0.1/callback"] }]"#
        )
        #expect(foreign.status == 2)
        #expect(foreign.errors.contains("client agent: it is registered already, and not by an operator"))
    }

    /// A file of which one client is wrong, and what is said about it.
    struct Mistake: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let client: String
        let message: String
    }

    private static let mistakes = [
        Mistake(
            testDescription: "an unknown member",
            client: #"{ "client_id": "b", "redirect_uri": ["http://127.0.0.1/cb"] }"#,
            message: "client 2 (b) of the file: 'redirect_uri' is not a member of a client"
        ),
        Mistake(
            testDescription: "a member of another type",
            client: #"{ "client_id": "b", "redirect_uris": "http://127.0.0.1/cb" }"#,
            message: "client 2 (b) of the file: 'redirect_uris' is not an array of strings"
        ),
        Mistake(
            testDescription: "no client_id",
            client: #"{ "redirect_uris": ["http://127.0.0.1/cb"] }"#,
            message: "client 2 of the file: 'client_id' is missing"
        ),
        Mistake(
            testDescription: "a client twice",
            client: #"{ "client_id": "new", "redirect_uris": ["http://127.0.0.1/cb"] }"#,
            message: "clients.json has two clients new"
        ),
        Mistake(
            testDescription: "a secret",
            client: #"{ "client_id": "b", "client_secret": "kbs_x" }"#,
            message: "client 2 (b) of the file: 'client_secret' does not belong in the file"
        ),
        Mistake(
            testDescription: "a client that registered itself",
            client: #"{ "client_id": "b", "registered_by": "itself" }"#,
            message: "client 2 (b) of the file: 'registered_by' is not operator"
        ),
        Mistake(
            testDescription: "a private key",
            client: #"""
                { "client_id": "b", "token_endpoint_auth_method": "private_key_jwt", "grant_types": ["client_credentials"],
                  "jwks": { "keys": [{ "kty": "EC", "crv": "P-256", "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
                  "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0", "d": "jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI" }] } }
                """#,
            message: "client 2 (b) of the file: 'jwks' is not a JWK set, or contains a private key"
        ),
        Mistake(
            testDescription: "a redirect URI that the server would reject",
            client: #"{ "client_id": "b", "redirect_uris": ["http://example.com/cb"] }"#,
            message: "client b: http is allowed for http://127.0.0.1"
        ),
        Mistake(
            testDescription: "what cannot be changed",
            client: #"""
                { "client_id": "kept", "redirect_uris": ["http://127.0.0.1/cb"],
                  "grant_types": ["authorization_code"] }
                """#,
            message:
                "client kept: grant_types of a registered client cannot be changed: remove the client and register "
                + "it again"
        ),
    ]

    @Test(arguments: mistakes)
    func `an error in the file changes nothing`(mistake: Mistake) async throws {
        _ = try await run("client add --id kept --redirect-uri http://127.0.0.1/cb")
        let result = try await apply(
            #"[{ "client_id": "new", "redirect_uris": ["http://127.0.0.1/cb"] }, \#(mistake.client)]"#
        )
        #expect(result.status == 2)
        #expect(result.errors.contains(mistake.message), "\(result.errors)")
        #expect(try await clients().map { $0["client_id"]?.stringValue } == ["kept"])
    }
}
#endif
