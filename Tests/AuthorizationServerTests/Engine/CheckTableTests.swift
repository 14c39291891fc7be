// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import AuthorizationServer

@Suite("The tables of checks")
struct CheckTableTests {
    private func names(_ checks: [any Check]) -> [String] {
        checks.map { String(describing: type(of: $0)) }
    }

    @Test func `every check names its section`() {
        for table in CheckTable.all {
            for check in table.checks { #expect(check.section.contains("section"), "\(table.name): \(check)") }
        }
    }

    /// The whole of it, so that a check cannot be forgotten, moved or dropped without somebody saying so here.
    @Test func `are what they are`() {
        let request = [
            "CheckRedirectURI", "CheckResponseMode", "CheckResponseType", "CheckUnsupportedParameters", "CheckState",
            "CheckCodeChallenge",
            "CheckScope", "CheckDPoPThumbprint", "CheckNonce", "CheckMaxAge", "CheckPrompt", "CheckACRValues",
            "CheckLoginHint",
            "CheckIDTokenHint", "CheckIDTokenAlgorithm",
        ]
        let expected = [
            "authorization": ["CheckQuery", "CheckClient", "CheckPushedRequestRequired"] + request,
            "pushed authorization": ["CheckFormBody", "CheckNoRequestURI", "CheckClient"] + request
                + ["CheckProof", "CheckPushedKey", "RecordProof"],
            "token": ["CheckFormBody"],
            "authorization_code": [
                "CheckClient", "CheckProof", "CheckCode", "CheckCodeKeyBinding", "CheckCodeRedirectURI",
                "CheckCodeVerifier", "RecordProof",
            ],
            "refresh_token": [
                "CheckClient", "CheckProof", "CheckRefreshToken", "CheckRefreshKeyBinding", "CheckRefreshScope",
                "RecordProof",
            ],
            "revocation": ["CheckFormBody", "CheckClient"],
            "end session": [
                "CheckQuery", "CheckIDTokenHint", "CheckLogoutClient", "CheckPostLogoutRedirectURI", "CheckState",
            ],
            "end session confirmation": ["CheckLogoutClient", "CheckPostLogoutRedirectURI", "CheckState"],
        ]
        #expect(CheckTable.all.count == expected.count)
        for table in CheckTable.all { #expect(names(table.checks) == expected[table.name], "\(table.name)") }
    }

    @Test func `leave a trace in the last row only`() {
        for table in CheckTable.all {
            #expect(!names(table.checks.dropLast()).contains("RecordProof"), "\(table.name)")
            #expect(names(table.checks).contains("CheckProof") == (names(table.checks).last == "RecordProof"))
        }
    }
}
