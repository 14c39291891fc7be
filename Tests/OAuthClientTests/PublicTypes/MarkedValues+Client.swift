// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthCore
import OAuthTransport
import PKCE
import SigningKeys
import StrictJSON
import TestSupport
import Testing

@testable import OAuthClient

extension MarkedValues {
    mutating func addSignIn() async throws {
        let fixture = try SignInFixture()
        var options = AuthorizationOptions(additionalParameters: ["hint": Self.mark])
        options.loginHint = Self.mark
        options.claims = ClaimsRequest(userInfo: ["sub": .essential(.string(Self.mark))])
        add(options, try #require(options.claims), try #require(options.claims?.userInfo["sub"]))
        options.additionalParameters = [:]
        options.expectedSubject = Self.mark
        add(options)

        let request = try await fixture.client.initiateAuthorization(scopes: ["a"])
        let pending = MemoryTransactionStore()
        let url = try await fixture.server.approve(request)
        let response = try await fixture.client.parseAuthorizationResponse(url)
        await pending.insert(response.transaction, now: fixture.clock.now())
        let tokens = try await fixture.client.exchangeAuthorizationCode(response)
        hide(request.state, request.url, response.code.value, response.transaction.codeVerifier.text)
        hide(tokens.accessToken.value, try #require(tokens.refreshToken?.value))
        add(request, response, response.transaction, pending, tokens, AuthorizationCallback(url: url))
        add(AuthorizationCallback(url: url, formBody: Self.bytes))

        let session = try await fixture.client.startSession(with: tokens)
        let attempt = try await session.authorization(method: "GET", url: FakeServer.api)
        hide(token: try #require(attempt.fields["DPoP"]))
        add(
            session,
            session.tokenManager,
            attempt,
            fixture.client,
            fixture.tokenStore,
            FirstPartyProgress.finished(session)
        )
        let key = try #require(try await fixture.keyStore.load(fixture.keyStore.aliases()[0]) as? SoftwareSigningKey)
        hide(key.privateKeyBytes)
        add(ClientStorage(keyStore: fixture.keyStore, tokenStore: fixture.tokenStore, transactionStore: pending))
        add(TokenExchangeResult(issued: SecurityToken(Self.mark, type: .accessToken), expiresAt: nil, tokens: tokens))
    }

    mutating func addFirstParty() async throws {
        let fixture = try SignInFixture()
        await fixture.server.change { $0.firstParty.secondSteps = [["type": "totp", "digits": 6]] }
        let first = try await fixture.firstStep()
        let second = try await first.answer(.rightPassword).signIn
        hide(second.state.authSession.value, second.state.transaction.codeVerifier.text)
        add(second, second.state, FirstPartyProgress.next(second))
        let web = try await fixture.firstStep().answer(.redirectToWeb).continuation
        add(web, FirstPartyProgress.redirectToWeb(web))
        let passkey = PasskeyRequest(json: #"{"challenge":"\#(Self.mark)"}"#)
        add(passkey, SignInStep.passkey(passkey), SignInStep.password(username: Self.mark))
        add(SignInStep.other(type: "quiz", members: ["question": .string(Self.mark)]))
        add(StepAnswer.password(username: Self.mark, password: Self.mark), StepAnswer.totp(Self.mark))
        add(StepAnswer.other(type: "quiz", parameters: ["answer": Self.mark]))
    }

    mutating func addClient() throws {
        let mark = Self.mark
        let answer = try OAuthErrorResponse(parsing: ["error": "invalid_grant", "error_description": .string(mark)])
        let error = OAuthClientError(.sessionEnded, "a reason", answer: answer, underlying: Foreign())
        add(BrowserURL("https://auth.example/authorize?request_uri=\(mark)"))
        add(error, SignOutResult.AtServer.failed(error), SignOutResult.OnDevice.kept(error))
        add(SignOutResult(wasSignedIn: true, atServer: .pending(error), tokens: .kept(error), key: .none))

        let secret = ClientAuthentication.clientSecretBasic(ClientSecret(mark))
        let shared = try ClientSecretKey(secret: Self.bytes, algorithm: .hs256)
        add(secret, ClientAuthentication.clientSecretJWT(shared))
        var configuration = OAuth2ClientConfiguration()
        configuration.clientAuthentication = secret
        configuration.idTokenKeyMadeOfClientSecret = shared
        let key = try SoftwareSigningKey(generating: .es256)
        hide(key.privateKeyBytes)
        configuration.requestObjectSigning = .always(with: key)
        add(configuration, try #require(configuration.requestObjectSigning))

        let registered = MCPClientIdentity.Registered(clientID: "my-app", authentication: secret)
        var identity = MCPClientIdentity(name: "Agent")
        identity.registered = ["https://auth.example": registered]
        add(identity, registered)
        let registration: JSONObject = [
            "client_id": "my-app", "client_secret": .string(mark), "client_secret_expires_at": 0,
            "registration_access_token": .string(mark), "registration_client_uri": "https://auth.example/register/1",
            "software_statement": .string(mark),
        ]
        add(try ClientRegistration(parsing: registration))
        let claims: JSONObject = ["active": true, "username": .string(mark), "sub": .string(mark), "ip": .string(mark)]
        add(try TokenIntrospection(parsing: claims))
    }

    #if os(Linux)
    /// What is known of a person: claims, subjects, accounts.
    mutating func addPeople() async throws {
        let fixture = try await OpenIDFixture()
        let tokens = try await fixture.tokens()
        let session = try await fixture.client.startSession(with: tokens)
        let idToken = try #require(tokens.idToken)
        hide(idToken.rawValue, try #require(idToken.nonce), tokens.accessToken.value)
        add(tokens, idToken, try await session.userInfo(), session)
        add(UserInfo(subject: Self.mark, claims: ["name": .string(Self.mark)]))

        let grants = try GrantFixture(.none)
        let device = try await grants.client.startDeviceAuthorization(scopes: [])
        hide(device.userCode)
        add(device)

        let accounts: JSONObject = [
            "v": 1, "issuer": "https://auth.example", "client_id": "my-app", "note": .string(Self.mark), "current": "a",
            "accounts": [
                [
                    "id": "a", "sub": .string(Self.mark), "name": .string(Self.mark), "scope": "openid",
                    "signed_in_at": 1, "note": .string(Self.mark),
                ]
            ],
        ]
        let list = try AccountList(parsing: accounts)
        let account = try #require(list.accounts.first)
        #expect(account.subject == Self.mark)
        add(list, account, SessionState.signedIn(account), SessionState.needsSignIn(account, .signedOut))
        let store = MemoryAccountStore()
        await store.update { $0 = list }
        let storage = ClientStorage(
            keyStore: MemoryKeyStore(),
            tokenStore: fixture.tokenStore,
            transactionStore: MemoryTransactionStore(),
            accountStore: store
        )
        let manager = try AccountManager(
            issuer: "https://auth.example",
            clientID: "my-app",
            redirectURI: "com.example.app:/callback",
            storage: storage
        )
        add(store, storage, manager, await SessionModel(manager))
        let records = MemoryMCPStateStore()
        await records.save(["client_secret": .string(Self.mark)], for: "https://mcp.example")
        let agent = try MCPAuthorization(
            for: "https://mcp.example/mcp",
            as: MCPClientIdentity(name: "Agent"),
            using: nil,
            store: records,
            tokenStore: fixture.tokenStore
        )
        add(records, agent)
    }
    #endif
}
