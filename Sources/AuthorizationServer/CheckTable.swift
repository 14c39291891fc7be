// SPDX-License-Identifier: Apache-2.0

import ServerStorage

/// Every check that runs, grouped by request and in order.
///
/// After the checks that need no storage, a table reads everything that its other checks look at, in one round trip and of
/// one moment. Last it records what works only once, which is stored with the change that the endpoint makes. The client is
/// checked first, then the proof, then the stored code or token, so a caller without both learns nothing about codes. Each step takes the
/// stage that the step before it returns, so a table that uses a fact too early does not compile.
///
/// To add a rule: one file in the folder of its feature, one row here, one test.
enum CheckTable {
    /// Determines how to send the response, once the redirect URI is verified.
    ///
    /// Errors are sent the same way.
    static let authorizationResponse = CheckList(of: RedirectRequest.self)
        .check(CheckGrantType(.authorizationCode))
        .then(CheckResponseMode())

    /// The rules for every authorization request, pushed or not (RFC 6749 section 4.1.1).
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

    /// The query of a browser request, before it is known whether the request was pushed (RFC 9126 section 4).
    static let browserRequest = CheckList(of: ReceivedRequest.self)
        .then(CheckQuery())

    /// An authorization request that was not pushed: determines its client, and where errors may be sent.
    static let authorizationClient = CheckList(of: FormRequest.self)
        .read(ReadNamedClient())
        .then(CheckClient())
        .then(CheckRequestObject())
        .check(CheckPushedRequestRequired())
        .then(CheckRedirectURI())

    /// The remaining checks of such a request, after ``authorizationResponse``.
    static let authorization =
        authorizationRequest
        .check(CheckBoundCodeRequired())
        .verify(CheckRequestObjectUse())

    /// Pushed authorization request (RFC 9126 section 2.1).
    static let pushedAuthorization = CheckList(of: ReceivedRequest.self)
        .then(CheckFormBody())
        .check(CheckNoRequestURI())
        .read(ReadClient())
        .then(CheckClientAuthentication())
        .check(CheckWebOrigin())
        .check(CheckClientLimit(.requests))
        .then(CheckRequestObject())
        .then(CheckRedirectURI())
        .followed(by: authorizationResponse)
        .followed(by: authorizationRequest)
        .verify(CheckProof(isRequired: .never))
        .check(CheckAttestedKey())
        .then(CheckPushedKey())
        .check(CheckBoundCodeRequired())
        .record(RecordAssertion())
        .record(RecordProof(.pushed))
        .record(RecordRequestObject())

    /// Request to the authorization challenge endpoint, before it is known whether it begins a sign-in or answers a step
    /// (OAuth 2.0 for First-Party Applications section 5).
    static let authorizationChallenge = CheckList(of: ReceivedRequest.self)
        .then(CheckFormBody())
        .check(CheckNoBrowser())

    /// The first request of a sign-in without a browser (OAuth 2.0 for First-Party Applications section 5.1).
    static let firstPartyRequest = CheckList(of: FormRequest.self)
        .check(CheckNoRequestURI())
        .check(CheckNoAnswer())
        .read(ReadFirstPartySession())
        .then(CheckClientAuthentication())
        .check(CheckFirstPartyClient())
        .check(CheckClientLimit(.requests))
        .then(CheckRequestObject())
        .then(CheckRedirectURI(isRequired: false))
        .followed(by: authorizationResponse)
        .followed(by: authorizationRequest)
        .verify(CheckProof(isRequired: .always))
        .check(CheckAttestedKey())
        .then(CheckPushedKey())
        .check(CheckEarlierSession())
        .record(RecordAssertion())
        .record(RecordProof(.pushed))
        .record(RecordRequestObject())

    /// The answer to a step of such a sign-in (OAuth 2.0 for First-Party Applications section 5.3).
    static let firstPartyAnswer = CheckList(of: FormRequest.self)
        .check(CheckAnswerParameters())
        .read(ReadFirstPartySession())
        .then(CheckClientAuthentication())
        .check(CheckFirstPartyClient())
        .check(CheckClientLimit(.requests))
        .verify(CheckProof(isRequired: .always))
        .check(CheckAttestedKey())
        .then(CheckAuthSession())
        .then(CheckOfferedStep())
        .record(RecordAssertion())
        .record(RecordProof(.pushed))

    /// Token request, before its grant type is known (RFC 6749 section 3.2).
    ///
    /// The table of the grant type follows.
    static let token = CheckList(of: ReceivedRequest.self)
        .then(CheckFormBody())

    /// Authorization code grant (RFC 6749 section 4.1.3).
    static let authorizationCode = CheckList(of: FormRequest.self)
        .read(ReadCode())
        .then(CheckClientAuthentication())
        .check(CheckWebOrigin())
        .check(CheckClientLimit(.rejections))
        .check(CheckGrantType(.authorizationCode))
        .verify(CheckProof(isRequired: .whenBound))
        .check(CheckAttestedKey())
        .then(CheckCode())
        .check(CheckCodeKeyBinding())
        .check(CheckCodeRedirectURI())
        .check(CheckCodeVerifier())
        .check(CheckGrantAge())
        .then(CheckTokenTarget())
        .then(CheckGrantedDetails())
        .record(RecordAssertion())
        .record(RecordProof(.granted))

    /// Refresh token grant (RFC 6749 section 6).
    static let refreshToken = CheckList(of: FormRequest.self)
        .read(ReadRefreshToken())
        .then(CheckClientAuthentication())
        .check(CheckWebOrigin())
        .check(CheckClientLimit(.rejections))
        .check(CheckGrantType(.refreshToken))
        .verify(CheckProof(isRequired: .whenBound))
        .check(CheckAttestedKey())
        .then(CheckRefreshToken())
        .check(CheckRefreshKeyBinding())
        .check(CheckGrantAge())
        .then(CheckRefreshScope())
        .then(CheckTokenTarget())
        .then(CheckGrantedDetails())
        .record(RecordAssertion())
        .record(RecordProof(.granted))

    /// Client credentials grant (RFC 6749 section 4.4).
    static let clientCredentials = CheckList(of: FormRequest.self)
        .read(ReadClient())
        .then(CheckClientAuthentication())
        .check(CheckWebOrigin())
        .check(CheckClientLimit(.rejections))
        .check(CheckGrantType(.clientCredentials))
        .verify(CheckProof(isRequired: .whenBound))
        .check(CheckAttestedKey())
        .then(CheckScope())
        .then(CheckClientCredentialsScope())
        .then(CheckResources())
        .then(CheckAuthorizationDetails())
        .then(CheckTokenTarget())
        .record(RecordAssertion())
        .record(RecordProof(.granted))

    /// Device authorization request (RFC 8628 section 3.1).
    static let deviceAuthorization = CheckList(of: ReceivedRequest.self)
        .then(CheckFormBody())
        .read(ReadClient())
        .then(CheckClientAuthentication())
        .check(CheckWebOrigin())
        .check(CheckClientLimit(.requests))
        .check(CheckGrantType(.deviceCode))
        .then(CheckScope())
        .then(CheckResources())
        .then(CheckAuthorizationDetails())
        .check(CheckIDTokenAlgorithm())
        .verify(CheckProof(isRequired: .never))
        .check(CheckAttestedKey())
        .check(CheckBoundDeviceCodeRequired())
        .record(RecordAssertion())
        .record(RecordProof(.pushed))

    /// Device access token request (RFC 8628 section 3.4).
    static let deviceCode = CheckList(of: FormRequest.self)
        .read(ReadDeviceCode())
        .then(CheckClientAuthentication())
        .check(CheckWebOrigin())
        .check(CheckClientLimit(.rejections))
        .check(CheckGrantType(.deviceCode))
        .verify(CheckProof(isRequired: .whenBound))
        .check(CheckAttestedKey())
        .then(CheckDeviceCode())
        .check(CheckDeviceKeyBinding())
        .check(CheckGrantAge())
        .record(RecordAssertion())
        .record(RecordDeviceProof())

    /// Token exchange (RFC 8693 section 2.1).
    static let tokenExchange = CheckList(of: FormRequest.self)
        .read(ReadTokens(parameters: ["subject_token", "actor_token"]))
        .then(CheckClientAuthentication())
        .check(CheckWebOrigin())
        .check(CheckClientLimit(.rejections))
        .check(CheckGrantType(.tokenExchange))
        .verify(CheckProof(isRequired: .whenBound))
        .check(CheckAttestedKey())
        .verify(CheckSubjectToken())
        .verify(CheckActorToken())
        .then(CheckExchangeTarget())
        .check(CheckMayAct())
        .check(CheckExchangePossession())
        .then(CheckExchangeScope())
        .then(CheckExchangeDetails())
        .record(RecordAssertion())
        .record(RecordProof(.granted))

    /// Token revocation (RFC 7009 section 2.1).
    static let revocation = CheckList(of: ReceivedRequest.self)
        .then(CheckFormBody())
        .read(ReadTokens(parameters: ["token"]))
        .then(CheckClientAuthentication())
        .check(CheckWebOrigin())
        .check(CheckClientLimit(.rejections))
        .verify(CheckProof(isRequired: .whenAttested))
        .check(CheckAttestedKey())
        .record(RecordAssertion())
        .record(RecordProof(.pushed))

    /// Token introspection (RFC 7662 section 2.1).
    static let introspection = CheckList(of: ReceivedRequest.self)
        .then(CheckFormBody())
        .read(ReadTokens(parameters: ["token"]))
        .then(CheckClientAuthentication(.confidentialClients))
        .check(CheckClientLimit(.rejections))
        .record(RecordAssertion())

    /// Client registration (RFC 7591 section 3).
    static let registration = CheckList(of: ReceivedRequest.self)
        .read(ReadRegistrationToken())
        .then(CheckRegistrationToken())
        .then(CheckClientMetadata())

    /// The form of the sign-out page, which carries parameters that were already checked.
    ///
    /// Its rules apply to every logout request (OpenID Connect RP-Initiated Logout section 2).
    static let endSessionConfirmation = CheckList(of: LogoutRequest.self)
        .read(ReadLogoutClient())
        .then(CheckLogoutClient())
        .then(CheckPostLogoutRedirectURI())
        .check(CheckState())

    /// Logout request: a client redirects the browser to sign out.
    static let endSession = CheckList(of: ReceivedRequest.self)
        .then(CheckQuery())
        .then(CheckIDTokenHint())
        .followed(by: endSessionConfirmation)

    /// The rows of every table, by the name of its endpoint or grant type.
    ///
    /// Tests iterate over them.
    static let all: [(name: String, rows: [CheckRow])] = [
        ("browser request", browserRequest.rows),
        ("authorization", authorizationClient.rows + authorizationResponse.rows + authorization.rows),
        ("pushed authorization", pushedAuthorization.rows),
        ("authorization challenge", authorizationChallenge.rows),
        ("first-party request", firstPartyRequest.rows),
        ("first-party answer", firstPartyAnswer.rows),
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
