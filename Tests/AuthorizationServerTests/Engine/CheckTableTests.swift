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
            "CheckRedirectURI", "CheckGrantType", "CheckResponseMode", "CheckResponseType", "CheckState",
            "CheckCodeChallenge", "CheckScope", "CheckResources", "CheckAuthorizationDetails", "CheckDPoPThumbprint",
            "CheckNonce", "CheckMaxAge", "CheckPrompt", "CheckACRValues",
            "CheckLoginHint",
            "CheckIDTokenHint", "CheckIDTokenAlgorithm",
        ]
        let expected = [
            "browser request": ["CheckQuery"],
            "authorization": ["CheckClient", "CheckRequestObject", "CheckPushedRequestRequired"] + request
                + ["CheckBoundCodeRequired"],
            "pushed authorization": [
                "CheckFormBody", "CheckNoRequestURI", "CheckClientAuthentication", "CheckClientLimit",
                "CheckRequestObject",
            ] + request
                + ["CheckProof", "CheckPushedKey", "CheckBoundCodeRequired", "RecordAssertion", "RecordProof"],
            "token": ["CheckFormBody"],
            "authorization_code": [
                "CheckClientAuthentication", "CheckClientLimit", "CheckGrantType", "CheckProof", "CheckCode",
                "CheckCodeKeyBinding",
                "CheckCodeRedirectURI", "CheckCodeVerifier", "CheckTokenTarget", "CheckGrantedDetails",
                "RecordAssertion", "RecordProof",
            ],
            "refresh_token": [
                "CheckClientAuthentication", "CheckClientLimit", "CheckGrantType", "CheckProof", "CheckRefreshToken",
                "CheckRefreshKeyBinding", "CheckRefreshScope", "CheckTokenTarget", "CheckGrantedDetails",
                "RecordAssertion", "RecordProof",
            ],
            "client_credentials": [
                "CheckClientAuthentication", "CheckClientLimit", "CheckGrantType", "CheckProof", "CheckScope",
                "CheckOwnScope",
                "CheckResources", "CheckAuthorizationDetails", "CheckTokenTarget", "RecordAssertion", "RecordProof",
            ],
            "device authorization": [
                "CheckFormBody", "CheckClientAuthentication", "CheckClientLimit", "CheckGrantType", "CheckScope",
                "CheckResources",
                "CheckAuthorizationDetails", "CheckIDTokenAlgorithm", "CheckProof", "RecordAssertion", "RecordProof",
            ],
            "device_code": [
                "CheckClientAuthentication", "CheckClientLimit", "CheckGrantType", "CheckProof", "CheckDeviceCode",
                "CheckDeviceKeyBinding",
                "RecordAssertion", "RecordProof",
            ],
            "token-exchange": [
                "CheckClientAuthentication", "CheckClientLimit", "CheckGrantType", "CheckProof", "CheckSubjectToken",
                "CheckActorToken",
                "CheckExchangeTarget", "CheckMayAct", "CheckExchangePossession", "CheckExchangeScope",
                "RecordAssertion", "RecordProof",
            ],
            "revocation": ["CheckFormBody", "CheckClientAuthentication", "CheckClientLimit", "RecordAssertion"],
            "introspection": ["CheckFormBody", "CheckClientAuthentication", "CheckClientLimit", "RecordAssertion"],
            "registration": ["CheckRegistrationToken", "CheckClientMetadata"],
            "end session": [
                "CheckQuery", "CheckIDTokenHint", "CheckLogoutClient", "CheckPostLogoutRedirectURI", "CheckState",
            ],
            "end session confirmation": ["CheckLogoutClient", "CheckPostLogoutRedirectURI", "CheckState"],
        ]
        #expect(CheckTable.all.count == expected.count)
        for table in CheckTable.all { #expect(names(table.checks) == expected[table.name], "\(table.name)") }
    }

    @Test func `leave a trace in the last rows only, and of an assertion wherever clients authenticate`() {
        for table in CheckTable.all {
            let traces = ["RecordAssertion", "RecordProof"].filter(names(table.checks).contains)
            #expect(names(table.checks.suffix(traces.count)) == traces, "\(table.name)")
            let authenticates = names(table.checks).contains("CheckClientAuthentication")
            #expect(traces.contains("RecordAssertion") == authenticates, "\(table.name)")
            #expect(names(table.checks).contains("CheckClientLimit") == authenticates, "\(table.name)")
            #expect(names(table.checks).contains("CheckProof") == (names(table.checks).last == "RecordProof"))
        }
    }
}
