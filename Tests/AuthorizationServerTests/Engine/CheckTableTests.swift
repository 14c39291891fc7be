// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import AuthorizationServer

@Suite("The tables of checks")
struct CheckTableTests {
    /// Where the rule of each row stands.
    private static let sections = [
        "CheckACRValues": "RFC 9470 section 5",
        "CheckActorToken": "RFC 8693 section 2.1",
        "CheckAnswerParameters": "OAuth 2.0 for First-Party Applications section 5.3",
        "CheckAuthSession": "OAuth 2.0 for First-Party Applications section 5.3.1",
        "CheckEarlierSession": "OAuth 2.0 for First-Party Applications section 5.3.1",
        "CheckFirstPartyClient": "OAuth 2.0 for First-Party Applications section 9.1",
        "CheckNoAnswer": "OAuth 2.0 for First-Party Applications section 5.3",
        "CheckNoBrowser": "OAuth 2.0 for First-Party Applications section 9.8",
        "CheckOfferedStep": "OAuth 2.0 for First-Party Applications section 5.3",
        "ReadFirstPartySession": "OAuth 2.0 for First-Party Applications section 5.3.1",
        "CheckAttestedKey": "draft-ietf-oauth-attestation-based-client-auth-11 section 7.3",
        "CheckAuthorizationDetails": "RFC 9396 section 5",
        "CheckBoundCodeRequired": "RFC 9449 section 10",
        "CheckBoundDeviceCodeRequired": "RFC 9449 section 10",
        "CheckClient": "RFC 6749 section 4.1.1",
        "CheckClientAuthentication": "RFC 6749 section 2.3",
        "CheckClientLimit": "RFC 6585 section 4",
        "CheckWebOrigin": "RFC 6454 section 7",
        "CheckClientMetadata": "RFC 7591 section 2",
        "CheckCode": "RFC 6749 section 4.1.3",
        "CheckCodeChallenge": "RFC 7636 section 4.4.1",
        "CheckCodeKeyBinding": "RFC 9449 section 10",
        "CheckCodeRedirectURI": "RFC 6749 section 4.1.3",
        "CheckCodeVerifier": "RFC 7636 section 4.6",
        "CheckDPoPThumbprint": "RFC 9449 section 10",
        "CheckDeviceCode": "RFC 8628 section 3.4",
        "CheckDeviceKeyBinding": "RFC 9449 section 5",
        "CheckExchangeDetails": "RFC 9396 section 6",
        "CheckExchangePossession": "RFC 9700 section 2.2.1",
        "CheckExchangeScope": "RFC 8693 section 2.1",
        "CheckExchangeTarget": "RFC 8693 section 2.1",
        "CheckFormBody": "RFC 6749 section 3.2",
        "CheckGrantAge": "RFC 9700 section 4.14.2",
        "CheckGrantType": "RFC 6749 section 5.2",
        "CheckGrantedDetails": "RFC 9396 section 6",
        "CheckIDTokenAlgorithm": "OpenID Connect Registration section 2",
        "CheckIDTokenHint": "OpenID Connect Core section 3.1.2.1",
        "CheckLoginHint": "OpenID Connect Core section 3.1.2.1",
        "CheckLogoutClient": "OpenID Connect RP-Initiated Logout section 2",
        "CheckMaxAge": "OpenID Connect Core section 3.1.2.1",
        "CheckMayAct": "RFC 8693 section 4.4",
        "CheckNoRequestURI": "RFC 9126 section 2.1",
        "CheckNonce": "OpenID Connect Core section 3.1.2.1",
        "CheckClientCredentialsScope": "OpenID Connect Core section 3.1.2.1",
        "CheckPostLogoutRedirectURI": "OpenID Connect RP-Initiated Logout section 3",
        "CheckPrompt": "OpenID Connect Core section 3.1.2.1",
        "CheckProof": "RFC 9449 section 5",
        "CheckPushedKey": "RFC 9449 section 10.1",
        "CheckPushedRequestRequired": "RFC 9126 section 5",
        "CheckQuery": "RFC 6749 section 3.1",
        "CheckRedirectURI": "RFC 9700 section 2.1",
        "CheckRefreshKeyBinding": "RFC 9449 section 5",
        "CheckRefreshScope": "RFC 6749 section 6",
        "CheckRefreshToken": "RFC 6749 section 6",
        "CheckRegistrationToken": "RFC 7591 section 3",
        "CheckRequestObject": "RFC 9101 section 6",
        "CheckRequestObjectUse": "RFC 9101 section 10.2",
        "CheckResources": "RFC 8707 section 2",
        "CheckResponseMode":
            "OAuth 2.0 Multiple Response Types section 2.1, OAuth 2.0 Form Post Response Mode section 2",
        "CheckResponseType": "RFC 9700 section 2.1.2",
        "CheckScope": "RFC 6749 section 3.3",
        "CheckState": "RFC 6749 section 4.1.1",
        "CheckSubjectToken": "RFC 8693 section 2.1",
        "CheckTokenTarget": "RFC 8707 section 2.2",
        "ReadClient": "RFC 6749 section 2.3",
        "ReadCode": "RFC 6749 section 4.1.3",
        "ReadDeviceCode": "RFC 8628 section 3.4",
        "ReadLogoutClient": "OpenID Connect RP-Initiated Logout section 2",
        "ReadNamedClient": "RFC 6749 section 4.1.1",
        "ReadRefreshToken": "RFC 6749 section 6",
        "ReadRegistrationToken": "RFC 7591 section 3",
        "ReadTokens": "RFC 7009 section 2.1, RFC 7662 section 2.1, RFC 8693 section 2.1",
        "RecordAssertion": "RFC 7523 section 3",
        "RecordDeviceProof": "RFC 9449 section 11.1",
        "RecordProof": "RFC 9449 section 11.1",
        "RecordRequestObject": "RFC 9101 section 10.2",
    ]

    private func names(_ rows: some Sequence<CheckRow>) -> [String] {
        rows.map(\.name)
    }

    @Test func `every check names its section`() {
        for table in CheckTable.all {
            for row in table.rows { #expect(row.section.contains("section"), "\(table.name): \(row)") }
        }
    }

    @Test func `every row has the section it should have`() {
        for table in CheckTable.all {
            for row in table.rows { #expect(row.section == Self.sections[row.name], "\(table.name): \(row)") }
        }
        #expect(Set(CheckTable.all.flatMap { names($0.rows) }) == Set(Self.sections.keys))
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
            "authorization": ["ReadNamedClient", "CheckClient", "CheckRequestObject", "CheckPushedRequestRequired"]
                + request
                + ["CheckBoundCodeRequired", "CheckRequestObjectUse"],
            "pushed authorization": [
                "CheckFormBody", "CheckNoRequestURI", "ReadClient", "CheckClientAuthentication", "CheckWebOrigin",
                "CheckClientLimit",
                "CheckRequestObject",
            ] + request
                + [
                    "CheckProof", "CheckAttestedKey", "CheckPushedKey", "CheckBoundCodeRequired",
                    "RecordAssertion", "RecordProof", "RecordRequestObject",
                ],
            "authorization challenge": ["CheckFormBody", "CheckNoBrowser"],
            "first-party request": [
                "CheckNoRequestURI", "CheckNoAnswer", "ReadFirstPartySession", "CheckClientAuthentication",
                "CheckFirstPartyClient", "CheckClientLimit", "CheckRequestObject",
            ] + request
                + [
                    "CheckProof", "CheckAttestedKey", "CheckPushedKey", "CheckEarlierSession",
                    "RecordAssertion", "RecordProof", "RecordRequestObject",
                ],
            "first-party answer": [
                "CheckAnswerParameters", "ReadFirstPartySession", "CheckClientAuthentication", "CheckFirstPartyClient",
                "CheckClientLimit", "CheckProof", "CheckAttestedKey", "CheckAuthSession", "CheckOfferedStep",
                "RecordAssertion", "RecordProof",
            ],
            "token": ["CheckFormBody"],
            "authorization_code": [
                "ReadCode", "CheckClientAuthentication", "CheckWebOrigin", "CheckClientLimit", "CheckGrantType",
                "CheckProof", "CheckAttestedKey",
                "CheckCode", "CheckCodeKeyBinding",
                "CheckCodeRedirectURI", "CheckCodeVerifier", "CheckGrantAge", "CheckTokenTarget",
                "CheckGrantedDetails",
                "RecordAssertion", "RecordProof",
            ],
            "refresh_token": [
                "ReadRefreshToken", "CheckClientAuthentication", "CheckWebOrigin", "CheckClientLimit", "CheckGrantType",
                "CheckProof", "CheckAttestedKey",
                "CheckRefreshToken",
                "CheckRefreshKeyBinding", "CheckGrantAge", "CheckRefreshScope", "CheckTokenTarget",
                "CheckGrantedDetails",
                "RecordAssertion", "RecordProof",
            ],
            "client_credentials": [
                "ReadClient", "CheckClientAuthentication", "CheckWebOrigin", "CheckClientLimit", "CheckGrantType",
                "CheckProof", "CheckAttestedKey",
                "CheckScope",
                "CheckClientCredentialsScope",
                "CheckResources", "CheckAuthorizationDetails", "CheckTokenTarget", "RecordAssertion", "RecordProof",
            ],
            "device authorization": [
                "CheckFormBody", "ReadClient", "CheckClientAuthentication", "CheckWebOrigin", "CheckClientLimit",
                "CheckGrantType",
                "CheckScope",
                "CheckResources",
                "CheckAuthorizationDetails", "CheckIDTokenAlgorithm", "CheckProof", "CheckAttestedKey",
                "CheckBoundDeviceCodeRequired",
                "RecordAssertion", "RecordProof",
            ],
            "device_code": [
                "ReadDeviceCode", "CheckClientAuthentication", "CheckWebOrigin", "CheckClientLimit", "CheckGrantType",
                "CheckProof", "CheckAttestedKey",
                "CheckDeviceCode",
                "CheckDeviceKeyBinding", "CheckGrantAge",
                "RecordAssertion", "RecordDeviceProof",
            ],
            "token-exchange": [
                "ReadTokens", "CheckClientAuthentication", "CheckWebOrigin", "CheckClientLimit", "CheckGrantType",
                "CheckProof", "CheckAttestedKey",
                "CheckSubjectToken", "CheckActorToken",
                "CheckExchangeTarget", "CheckMayAct", "CheckExchangePossession", "CheckExchangeScope",
                "CheckExchangeDetails",
                "RecordAssertion", "RecordProof",
            ],
            "revocation": [
                "CheckFormBody", "ReadTokens", "CheckClientAuthentication", "CheckWebOrigin", "CheckClientLimit",
                "CheckProof", "CheckAttestedKey", "RecordAssertion", "RecordProof",
            ],
            "introspection": [
                "CheckFormBody", "ReadTokens", "CheckClientAuthentication", "CheckClientLimit", "RecordAssertion",
            ],
            "registration": ["ReadRegistrationToken", "CheckRegistrationToken", "CheckClientMetadata"],
            "end session": [
                "CheckQuery", "CheckIDTokenHint", "ReadLogoutClient", "CheckLogoutClient",
                "CheckPostLogoutRedirectURI", "CheckState",
            ],
            "end session confirmation": [
                "ReadLogoutClient", "CheckLogoutClient", "CheckPostLogoutRedirectURI", "CheckState",
            ],
        ]
        #expect(CheckTable.all.count == expected.count)
        for table in CheckTable.all { #expect(names(table.rows) == expected[table.name], "\(table.name)") }
    }

    @Test func `leave a trace in the last rows only, and of an assertion wherever clients authenticate`() {
        for table in CheckTable.all {
            let traces = ["RecordAssertion", "RecordProof", "RecordDeviceProof", "RecordRequestObject"]
                .filter(names(table.rows).contains)
            #expect(names(table.rows.suffix(traces.count)) == traces, "\(table.name)")
            let authenticates = names(table.rows).contains("CheckClientAuthentication")
            #expect(traces.contains("RecordAssertion") == authenticates, "\(table.name)")
            #expect(names(table.rows).contains("CheckClientLimit") == authenticates, "\(table.name)")
            let recordsProofs = traces.contains("RecordProof") || traces.contains("RecordDeviceProof")
            #expect(names(table.rows).contains("CheckProof") == recordsProofs, "\(table.name)")
        }
    }

    @Test func `what is read is read right before the check that looks at it`() {
        for table in CheckTable.all {
            for (row, next) in zip(table.rows, table.rows.dropFirst()) where row.name.hasPrefix("Read") {
                #expect(next.name.hasPrefix("Check"), "\(table.name): \(row)")
            }
            #expect(table.rows.last?.name.hasPrefix("Read") == false, "\(table.name)")
        }
    }
}
