// SPDX-License-Identifier: Apache-2.0

import OAuthClient
import SigningKeys
import Testing

@testable import KeyboundCommand

@Suite("The command that signs an account in again")
struct LoginCommandTests {
    private static func record(redirectURI: String = "http://127.0.0.1/callback") -> AccountRecord {
        AccountRecord(
            account: ClientAccount(issuer: "https://auth.example", clientID: "tool", name: "default"),
            redirectURI: redirectURI,
            allowsInsecureLoopback: false,
            keyPlace: .clearFile
        )
    }

    @Test func `it asks for what the sign-in asked for, also after the record was stored`() throws {
        #expect(Self.record().loginCommand() == "keybound login https://auth.example --client-id tool")
        var record = Self.record(redirectURI: "http://127.0.0.1:8123/callback")
        record.requestedScopes = ["openid", "notes:read"]
        record.attester = "https://attester.example"
        let stored = try #require(AccountRecord(stored: record.json))
        let command =
            "keybound login https://auth.example --client-id tool --attester https://attester.example "
            + "--redirect-uri http://127.0.0.1:8123/callback --scope "
        #expect(stored.loginCommand() == command + "'openid notes:read'")
        // What the API asks for comes in its place, with the scopes of the session.
        #expect(stored.loginCommand(scopes: ["a"]) == command + "a")
    }

    @Test(arguments: [OAuthClientError.Code.sessionEnded, .keyMissing, .keyMismatch])
    func `an error that means a new sign-in names the command of the account`(_ code: OAuthClientError.Code) {
        let error = OAuthClientError(code, "why")
        let failure = CommandFailure(describing: error, of: Self.record())
        #expect(failure.exitCode == .signInNeeded && failure.message == "why")
        #expect(failure.hints == ["sign in again: keybound login https://auth.example --client-id tool"])
        #expect(CommandFailure(describing: error).hints == ["sign in: keybound login ISSUER --client-id CLIENT_ID"])
    }

    @Test func `so does a lost key, and no other error does`() {
        let lost = CommandFailure(describing: KeyStoreError(.keyLost, "why"), of: Self.record())
        #expect(lost.exitCode == .signInNeeded)
        #expect(lost.hints == ["sign in again: keybound login https://auth.example --client-id tool"])
        let other = CommandFailure(describing: OAuthClientError(.transportFailed, "why"), of: Self.record())
        #expect(other.exitCode == .unavailable && other.hints == [])
    }
}
