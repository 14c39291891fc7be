// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthClient
import StrictJSON
import Testing

@testable import KeyboundCommand

@Suite("keybound request: what to do when the API asks for more")
struct StepUpNoteTests {
    private static func record(_ name: String = "default") -> AccountRecord {
        AccountRecord(
            account: ClientAccount(issuer: "https://auth.example", clientID: "tool", name: name),
            redirectURI: "http://127.0.0.1/callback",
            allowsInsecureLoopback: false,
            keyPlace: .clearFile
        )
    }

    private static func note(_ status: Int, _ challenge: String, _ record: AccountRecord = record()) -> String? {
        let response = HTTPResponse(status: status, fields: ["WWW-Authenticate": challenge])
        return StepUpNote(response)?.text(record, granted: ["a"])
    }

    @Test func `RFC 6750 section 3 1: the command asks for the union of scopes`() {
        #expect(
            Self.note(403, #"DPoP error="insufficient_scope", scope="a b""#)
                == "the API asks for more scope; sign in again: "
                + "keybound login https://auth.example --client-id tool --scope 'a b'"
        )
        var record = Self.record("work")
        record.resource = "https://api.example/v1"
        #expect(
            Self.note(403, #"Bearer error="insufficient_scope", scope="c""#, record)?.hasSuffix(
                "--client-id tool --account work --api https://api.example/v1 --scope 'a c'"
            ) == true
        )
    }

    @Test func `an account of an MCP server signs in by its URL`() {
        let challenge = #"Bearer error="insufficient_scope", scope="b""#
        for (name, account) in [("https://mcp.example/mcp", ""), ("work", " --account work")] {
            var record = Self.record(name)
            (record.mcpServer, record.resource) = ("https://mcp.example/mcp", "https://mcp.example")
            let note = Self.note(403, challenge, record)
            let command = "keybound login --mcp https://mcp.example/mcp\(account) --scope 'a b'"
            #expect(note?.hasSuffix(command) == true, "\(note ?? "")")
        }
    }

    @Test func `only a name that is a URL does not make an account one of an MCP server`() {
        let note = Self.note(
            403,
            #"Bearer error="insufficient_scope", scope="b""#,
            Self.record("https://mcp.example/mcp")
        )
        #expect(note?.contains("--client-id tool --account https://mcp.example/mcp --scope 'a b'") == true)
    }

    @Test func `RFC 9470 section 3: another authentication of the user`() {
        let note = Self.note(401, #"DPoP error="insufficient_user_authentication", max_age="60""#)
        #expect(note?.contains("stronger or more recent sign-in") == true)
        #expect(note?.hasSuffix("--client-id tool --scope a --max-age 1m") == true)
    }

    @Test(
        arguments: [
            (#"max_age="0""#, "--scope a --max-age 0s"),
            (#"acr_values="mfa phr", max_age="90""#, "--scope a --max-age 90s --acr 'mfa phr'"),
            (#"acr_values="x';reboot;'""#, #"--scope a --acr 'x'\'';reboot;'\'''"#),
            (#"scope="b", acr_values="mfa""#, "--scope 'a b' --acr mfa"),
            (#"scope="a""#, "--scope a --max-age 0s"),
        ] as [(String, String)]
    )
    func `RFC 9470 section 4: the command asks for what the API demands`(_ demand: String, _ options: String) {
        let note = Self.note(401, #"DPoP error="insufficient_user_authentication", "# + demand)
        #expect(
            note?.hasSuffix("keybound login https://auth.example --client-id tool \(options)") == true,
            "\(note ?? "")"
        )
    }

    @Test func `a service signs in as it did, and no user can sign in with its account`() throws {
        var record = Self.record()
        record.credential = ClientCredential(
            stored: ["client_auth_method": "client_secret_basic", "client_auth_file": "/run/secret"]
        )
        record.serviceScopes = ["a"]
        let command = "keybound login https://auth.example --client-id tool --client-secret-file /run/secret"
        #expect(
            Self.note(403, #"DPoP error="insufficient_scope", scope="b""#, record)
                == "the API asks for more scope; sign in again: \(command) --client-credentials --scope 'a b'"
        )
        let note = Self.note(401, #"DPoP error="insufficient_user_authentication", max_age="60""#, record)
        #expect(note?.contains("keybound login") == false && note?.contains("requires a user who signs in") == true)
        // The other two commands that advise say the same.
        let challenges = try Challenge.parse([#"DPoP error="insufficient_user_authentication", max_age="60""#])
        let challenge = try #require(StepUpChallenge(challenges))
        #expect(LocalProxy.advice(record, granted: ["a"], meeting: challenge) == note)
        #expect(MCPAccount.advice(record, granted: ["a"], meeting: challenge) == note)
        #expect(LocalProxy.advice(record, granted: ["a"], meeting: nil).hasSuffix("--client-credentials --scope a"))
        let stored = try #require(AccountRecord(stored: record.json))
        #expect(stored.isService && stored.loginCommand() == command + " --client-credentials --scope a")
    }

    @Test func `a scope of the API cannot become a command`() {
        let note = Self.note(403, #"DPoP error="insufficient_scope", scope="x';reboot;'""#)
        #expect(note?.hasSuffix(#"--scope 'a x'\'';reboot;'\'''"#) == true, "\(note ?? "")")
    }

    @Test func `a scope that the session has is not asked for again`() {
        #expect(Self.note(403, #"DPoP error="insufficient_scope", scope="a""#)?.contains("keybound login") == false)
    }

    @Test(arguments: [(403, #"DPoP error="invalid_token""#), (200, #"DPoP error="insufficient_scope""#), (403, "x=")])
    func `other responses ask for nothing`(_ status: Int, _ challenge: String) {
        #expect(Self.note(status, challenge) == nil)
    }
}
