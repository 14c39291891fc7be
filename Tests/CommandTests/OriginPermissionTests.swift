// SPDX-License-Identifier: Apache-2.0

import OAuthClient
import Testing

@testable import KeyboundCommand

@Suite("keybound request: which origins get the token")
struct OriginPermissionTests {
    private static func record() -> AccountRecord {
        AccountRecord(
            account: ClientAccount(issuer: "https://auth.example/tenant", clientID: "tool", name: "default"),
            redirectURI: "http://127.0.0.1/callback",
            allowsInsecureLoopback: false,
            keyPlace: .clearFile
        )
    }

    /// The origins that a record allows after a request; by default there is no terminal to ask.
    private static func allowed(
        after target: String,
        _ record: AccountRecord,
        _ given: [String] = [],
        answer: Bool? = nil
    ) throws -> [String] {
        var record = record
        record.allowedOrigins += try OriginPermission.new(for: target, record, given: given) { _ in answer }
        return record.allowedOrigins
    }

    @Test(arguments: ["https://auth.example/userinfo", "https://AUTH.example:443/x", "https://api.example/v1/notes"])
    func `the issuer and the API of the sign-in get it, and nothing is kept`(_ target: String) throws {
        var record = Self.record()
        record.resource = "https://api.example/v1"
        #expect(try Self.allowed(after: target, record).isEmpty)
    }

    @Test(arguments: [
        "https://api.example.evil/notes", "https://auth.example:8443/", "http://auth.example/", "https://api.example/",
    ])
    func `another origin does not, without a terminal`(_ target: String) {
        #expect(throws: CommandFailure.self) { try Self.allowed(after: target, Self.record()) }
        #expect(throws: CommandFailure.self) {
            try Self.allowed(after: target, Self.record(), ["https://other.example"])
        }
    }

    @Test func `an origin that was allowed gets it, and again without asking`() throws {
        var record = Self.record()
        record.allowedOrigins = try Self.allowed(
            after: "https://api.example/a",
            record,
            ["https://api.example/ignored"]
        )
        #expect(record.allowedOrigins == ["https://api.example"])
        let stored = try #require(AccountRecord(stored: record.json))
        #expect(try Self.allowed(after: "https://api.example/b", stored) == ["https://api.example"])
    }

    @Test func `the user is asked once`() throws {
        var record = Self.record()
        #expect(throws: CommandFailure.self) { try Self.allowed(after: "https://api.example/", record, answer: false) }
        record.allowedOrigins = try Self.allowed(after: "https://api.example/a", record, answer: true)
        #expect(record.allowedOrigins == ["https://api.example"])
        #expect(try Self.allowed(after: "https://api.example/b", record, answer: false) == record.allowedOrigins)
    }

    @Test func `an origin that is none is an error`() {
        #expect(throws: CommandFailure.self) {
            try Self.allowed(after: "https://auth.example/", Self.record(), ["api"])
        }
    }

    @Test func `a token that is bound to no key goes to its own server alone, whatever is allowed`() throws {
        var record = Self.record()
        record.isBound = false
        record.resource = "https://mcp.example/mcp"
        #expect(try Self.allowed(after: "https://mcp.example/mcp", record).isEmpty)
        #expect(throws: CommandFailure.self) {
            try Self.allowed(after: "https://auth.example/", record, ["https://auth.example"])
        }
    }
}
