// SPDX-License-Identifier: Apache-2.0

import ServerStorage

/// Which checks run where, in which order: the whole protocol on one page.
///
/// To add a rule: one file in `Checks/`, one row here, one test. The order is that of cost and of what must not be touched
/// too early: who is asking, then the proof, then what was stored, last the state change of the endpoint itself.
enum CheckTable {
    /// What an authorization request must be, however it arrives (RFC 6749 section 4.1.1).
    private static let authorizationRequest: [any Check] = [
        CheckRedirectURI(),
        CheckGrantType(.authorizationCode),
        CheckResponseMode(),
        CheckResponseType(),
        CheckState(),
        CheckCodeChallenge(),
        CheckScope(),
        CheckResources(),
        CheckAuthorizationDetails(),
        CheckDPoPThumbprint(),
        CheckNonce(),
        CheckMaxAge(),
        CheckPrompt(),
        CheckACRValues(),
        CheckLoginHint(),
        CheckIDTokenHint(),
        CheckIDTokenAlgorithm(),
    ]

    /// What the browser brings, before it is known whether that was pushed (RFC 9126 section 4).
    static let browserRequest: [any Check] = [CheckQuery()]

    /// A request that the browser brings with all its parameters.
    static let authorization: [any Check] =
        [CheckClient(), CheckRequestObject(), CheckPushedRequestRequired()] + authorizationRequest
        + [CheckBoundCodeRequired()]

    /// A request that is pushed (RFC 9126 section 2.1).
    static let pushedAuthorization: [any Check] =
        [
            CheckFormBody(), CheckNoRequestURI(), CheckClientAuthentication(), CheckClientLimit(.requests),
            CheckRequestObject(),
        ] + authorizationRequest
        + [
            CheckProof(isRequired: .never), CheckPushedKey(), CheckBoundCodeRequired(), RecordAssertion(),
            RecordProof { $0.pushedReplay },
        ]

    /// A token request, before its grant type is known (RFC 6749 section 3.2); the table of the grant type comes next.
    static let token: [any Check] = [CheckFormBody()]

    /// An authorization code is exchanged (RFC 6749 section 4.1.3).
    static let authorizationCode: [any Check] = [
        CheckClientAuthentication(),
        CheckClientLimit(.refusals),
        CheckGrantType(.authorizationCode),
        CheckProof(isRequired: .whenBound),
        CheckCode(),
        CheckCodeKeyBinding(),
        CheckCodeRedirectURI(),
        CheckCodeVerifier(),
        CheckTokenTarget(),
        CheckGrantedDetails(),
        RecordAssertion(),
        RecordProof { $0.replay },
    ]

    /// A refresh token is exchanged (RFC 6749 section 6).
    static let refreshToken: [any Check] = [
        CheckClientAuthentication(),
        CheckClientLimit(.refusals),
        CheckGrantType(.refreshToken),
        CheckProof(isRequired: .whenBound),
        CheckRefreshToken(),
        CheckRefreshKeyBinding(),
        CheckRefreshScope(),
        CheckTokenTarget(),
        CheckGrantedDetails(),
        RecordAssertion(),
        RecordProof { $0.replay },
    ]

    /// A client asks for itself (RFC 6749 section 4.4).
    static let clientCredentials: [any Check] = [
        CheckClientAuthentication(),
        CheckClientLimit(.refusals),
        CheckGrantType(.clientCredentials),
        CheckProof(isRequired: .whenBound),
        CheckScope(),
        CheckOwnScope(),
        CheckResources(),
        CheckAuthorizationDetails(),
        CheckTokenTarget(),
        RecordAssertion(),
        RecordProof { $0.replay },
    ]

    /// A device asks for codes (RFC 8628 section 3.1).
    static let deviceAuthorization: [any Check] = [
        CheckFormBody(),
        CheckClientAuthentication(),
        CheckClientLimit(.requests),
        CheckGrantType(.deviceCode),
        CheckScope(),
        CheckResources(),
        CheckAuthorizationDetails(),
        CheckIDTokenAlgorithm(),
        CheckProof(isRequired: .never),
        RecordAssertion(),
        RecordProof { $0.pushedReplay },
    ]

    /// A device asks for its tokens (RFC 8628 section 3.4).
    static let deviceCode: [any Check] = [
        CheckClientAuthentication(),
        CheckClientLimit(.refusals),
        CheckGrantType(.deviceCode),
        CheckProof(isRequired: .whenBound),
        CheckDeviceCode(),
        CheckDeviceKeyBinding(),
        RecordAssertion(),
        RecordProof { $0.replay },
    ]

    /// A token is exchanged for another one (RFC 8693 section 2.1).
    static let tokenExchange: [any Check] = [
        CheckClientAuthentication(),
        CheckClientLimit(.refusals),
        CheckGrantType(.tokenExchange),
        CheckProof(isRequired: .whenBound),
        CheckSubjectToken(),
        CheckActorToken(),
        CheckExchangeTarget(),
        CheckMayAct(),
        CheckExchangePossession(),
        CheckExchangeScope(),
        RecordAssertion(),
        RecordProof { $0.replay },
    ]

    /// A token is revoked (RFC 7009 section 2.1).
    static let revocation: [any Check] = [
        CheckFormBody(), CheckClientAuthentication(), CheckClientLimit(.refusals), RecordAssertion(),
    ]

    /// A token is asked about (RFC 7662 section 2.1).
    static let introspection: [any Check] = [
        CheckFormBody(), CheckClientAuthentication(.confidentialClients), CheckClientLimit(.refusals),
        RecordAssertion(),
    ]

    /// A client registers itself (RFC 7591 section 3).
    static let registration: [any Check] = [CheckRegistrationToken(), CheckClientMetadata()]

    /// What a request to sign out must be, however it arrives (OpenID Connect RP-Initiated Logout section 2).
    private static let logoutRequest: [any Check] = [CheckLogoutClient(), CheckPostLogoutRedirectURI(), CheckState()]

    /// A client sends the browser to sign out.
    static let endSession: [any Check] = [CheckQuery(), CheckIDTokenHint()] + logoutRequest

    /// The person has answered the sign-out page, whose form carries what was checked before.
    static let endSessionConfirmation: [any Check] = logoutRequest

    /// Every table by the name of its endpoint or grant, for tests that walk them.
    static let all: [(name: String, checks: [any Check])] = [
        ("browser request", browserRequest),
        ("authorization", authorization),
        ("pushed authorization", pushedAuthorization),
        ("token", token),
        ("authorization_code", authorizationCode),
        ("refresh_token", refreshToken),
        ("client_credentials", clientCredentials),
        ("device authorization", deviceAuthorization),
        ("device_code", deviceCode),
        ("token-exchange", tokenExchange),
        ("revocation", revocation),
        ("introspection", introspection),
        ("registration", registration),
        ("end session", endSession),
        ("end session confirmation", endSessionConfirmation),
    ]
}
