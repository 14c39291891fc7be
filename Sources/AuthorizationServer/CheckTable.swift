// SPDX-License-Identifier: Apache-2.0

import ServerStorage

/// Which checks run where, in which order: the whole protocol on one page.
///
/// A table reads what its checks look at, checks it, and records last what works only once. The order is that of cost and
/// of what must not be touched too early: who is asking, then the proof, then what was stored. Each step takes the stage
/// of the request that the one before returned, so a table that uses a fact too early does not compile.
///
/// To add a rule: one file beside its feature, one row here, one test.
enum CheckTable {
    /// How the response to an authorization request is sent, once its redirect URI is known: errors go that way too.
    static let authorizationResponse = CheckList(of: RedirectRequest.self)
        .check(CheckGrantType(.authorizationCode))
        .then(CheckResponseMode())

    /// What else an authorization request must be, however it arrives (RFC 6749 section 4.1.1).
    private static let authorizationRequest = CheckList(of: RedirectRequest.self)
        .check(CheckResponseType())
        .check(CheckState())
        .then(CheckCodeChallenge())
        .then(CheckScope())
        .then(CheckResources())
        .then(CheckAuthorizationDetails())
        .then(CheckDPoPThumbprint())
        .then(CheckNonce())
        .then(CheckMaxAge())
        .then(CheckPrompt())
        .then(CheckACRValues())
        .then(CheckLoginHint())
        .then(CheckIDTokenHint())
        .check(CheckIDTokenAlgorithm())

    /// What the browser brings, before it is known whether that was pushed (RFC 9126 section 4).
    static let browserRequest = CheckList(of: ReceivedRequest.self)
        .then(CheckQuery())

    /// A request that the browser brings with all its parameters: whose it is, and where errors may be sent.
    static let authorizationClient = CheckList(of: FormRequest.self)
        .read(ReadNamedClient())
        .then(CheckClient())
        .then(CheckRequestObject())
        .check(CheckPushedRequestRequired())
        .then(CheckRedirectURI())

    /// The rest of such a request, after ``authorizationResponse``.
    static let authorization = authorizationRequest.check(CheckBoundCodeRequired())

    /// A request that is pushed (RFC 9126 section 2.1).
    static let pushedAuthorization = CheckList(of: ReceivedRequest.self)
        .then(CheckFormBody())
        .check(CheckNoRequestURI())
        .read(ReadClient())
        .then(CheckClientAuthentication())
        .check(CheckClientLimit(.requests))
        .then(CheckRequestObject())
        .then(CheckRedirectURI())
        .followed(by: authorizationResponse)
        .followed(by: authorizationRequest)
        .verify(CheckProof(isRequired: .never))
        .then(CheckPushedKey())
        .check(CheckBoundCodeRequired())
        .record(RecordAssertion())
        .record(RecordProof { $0.pushedReplay })

    /// A token request, before its grant type is known (RFC 6749 section 3.2); the table of the grant type comes next.
    static let token = CheckList(of: ReceivedRequest.self)
        .then(CheckFormBody())

    /// An authorization code is exchanged (RFC 6749 section 4.1.3).
    static let authorizationCode = CheckList(of: FormRequest.self)
        .read(ReadClient())
        .then(CheckClientAuthentication())
        .check(CheckClientLimit(.refusals))
        .check(CheckGrantType(.authorizationCode))
        .verify(CheckProof(isRequired: .whenBound))
        .read(ReadCode())
        .then(CheckCode())
        .check(CheckCodeKeyBinding())
        .check(CheckCodeRedirectURI())
        .check(CheckCodeVerifier())
        .read(ReadGrant())
        .then(CheckTokenTarget())
        .then(CheckGrantedDetails())
        .record(RecordAssertion())
        .record(RecordProof { $0.replay })

    /// A refresh token is exchanged (RFC 6749 section 6).
    static let refreshToken = CheckList(of: FormRequest.self)
        .read(ReadClient())
        .then(CheckClientAuthentication())
        .check(CheckClientLimit(.refusals))
        .check(CheckGrantType(.refreshToken))
        .verify(CheckProof(isRequired: .whenBound))
        .read(ReadRefreshToken())
        .then(CheckRefreshToken())
        .check(CheckRefreshKeyBinding())
        .then(CheckRefreshScope())
        .read(ReadGrant())
        .then(CheckTokenTarget())
        .then(CheckGrantedDetails())
        .record(RecordAssertion())
        .record(RecordProof { $0.replay })

    /// A client asks for itself (RFC 6749 section 4.4).
    static let clientCredentials = CheckList(of: FormRequest.self)
        .read(ReadClient())
        .then(CheckClientAuthentication())
        .check(CheckClientLimit(.refusals))
        .check(CheckGrantType(.clientCredentials))
        .verify(CheckProof(isRequired: .whenBound))
        .then(CheckScope())
        .then(CheckClientCredentialsScope())
        .then(CheckResources())
        .then(CheckAuthorizationDetails())
        .then(CheckTokenTarget())
        .record(RecordAssertion())
        .record(RecordProof { $0.replay })

    /// A device asks for codes (RFC 8628 section 3.1).
    static let deviceAuthorization = CheckList(of: ReceivedRequest.self)
        .then(CheckFormBody())
        .read(ReadClient())
        .then(CheckClientAuthentication())
        .check(CheckClientLimit(.requests))
        .check(CheckGrantType(.deviceCode))
        .then(CheckScope())
        .then(CheckResources())
        .then(CheckAuthorizationDetails())
        .check(CheckIDTokenAlgorithm())
        .verify(CheckProof(isRequired: .never))
        .record(RecordAssertion())
        .record(RecordProof { $0.pushedReplay })

    /// A device asks for its tokens (RFC 8628 section 3.4).
    static let deviceCode = CheckList(of: FormRequest.self)
        .read(ReadClient())
        .then(CheckClientAuthentication())
        .check(CheckClientLimit(.refusals))
        .check(CheckGrantType(.deviceCode))
        .verify(CheckProof(isRequired: .whenBound))
        .read(ReadDeviceCode())
        .then(CheckDeviceCode())
        .check(CheckDeviceKeyBinding())
        .record(RecordAssertion())
        .record(RecordProof { $0.replay })

    /// A token is exchanged for another one (RFC 8693 section 2.1).
    static let tokenExchange = CheckList(of: FormRequest.self)
        .read(ReadClient())
        .then(CheckClientAuthentication())
        .check(CheckClientLimit(.refusals))
        .check(CheckGrantType(.tokenExchange))
        .verify(CheckProof(isRequired: .whenBound))
        .read(ReadSubjectToken())
        .then(CheckSubjectToken())
        .read(ReadActorToken())
        .then(CheckActorToken())
        .then(CheckExchangeTarget())
        .check(CheckMayAct())
        .check(CheckExchangePossession())
        .then(CheckExchangeScope())
        .record(RecordAssertion())
        .record(RecordProof { $0.replay })

    /// A token is revoked (RFC 7009 section 2.1).
    static let revocation = CheckList(of: ReceivedRequest.self)
        .then(CheckFormBody())
        .read(ReadClient())
        .then(CheckClientAuthentication())
        .check(CheckClientLimit(.refusals))
        .record(RecordAssertion())

    /// A token is asked about (RFC 7662 section 2.1).
    static let introspection = CheckList(of: ReceivedRequest.self)
        .then(CheckFormBody())
        .read(ReadClient())
        .then(CheckClientAuthentication(.confidentialClients))
        .check(CheckClientLimit(.refusals))
        .record(RecordAssertion())

    /// A client registers itself (RFC 7591 section 3).
    static let registration = CheckList(of: ReceivedRequest.self)
        .read(ReadRegistrationToken())
        .then(CheckRegistrationToken())
        .then(CheckClientMetadata())

    /// The person has answered the sign-out page, whose form carries what was checked before; and what any request to sign
    /// out must be (OpenID Connect RP-Initiated Logout section 2).
    static let endSessionConfirmation = CheckList(of: LogoutRequest.self)
        .read(ReadLogoutClient())
        .then(CheckLogoutClient())
        .then(CheckPostLogoutRedirectURI())
        .check(CheckState())

    /// A client sends the browser to sign out.
    static let endSession = CheckList(of: ReceivedRequest.self)
        .then(CheckQuery())
        .then(CheckIDTokenHint())
        .followed(by: endSessionConfirmation)

    /// The rows of every table by the name of its endpoint or grant, for tests that walk them.
    static let all: [(name: String, rows: [CheckRow])] = [
        ("browser request", browserRequest.rows),
        ("authorization", authorizationClient.rows + authorizationResponse.rows + authorization.rows),
        ("pushed authorization", pushedAuthorization.rows),
        ("token", token.rows),
        ("authorization_code", authorizationCode.rows),
        ("refresh_token", refreshToken.rows),
        ("client_credentials", clientCredentials.rows),
        ("device authorization", deviceAuthorization.rows),
        ("device_code", deviceCode.rows),
        ("token-exchange", tokenExchange.rows),
        ("revocation", revocation.rows),
        ("introspection", introspection.rows),
        ("registration", registration.rows),
        ("end session", endSession.rows),
        ("end session confirmation", endSessionConfirmation.rows),
    ]
}
