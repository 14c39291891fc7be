// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import HTTPMessage
import JOSE
import OAuthClient
import OAuthCore
import SigningKeys
import StrictJSON
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Whether tokens are bound: what the client is set to, against what the server does")
struct TokenBindingTests {
    /// The configuration of a client.
    enum Setting: String, CaseIterable, Sendable {
        case bounded, boundedIfOffered, boundedWithFallback, unbounded, boundedWithoutKey, boundedWithFallbackWithoutKey

        var configuration: any TokenBoundConfiguration {
            switch self {
            case .bounded, .boundedWithoutKey: BoundedTokenConfiguration()
            case .boundedIfOffered: .dpopIfOffered
            case .unbounded: UnboundedTokenConfiguration()
            case .boundedWithFallback, .boundedWithFallbackWithoutKey:
                BoundedTokenConfiguration(
                    fallback: [.unboundTokensWhenNoKeyCanBeMade, .bearerTokensInsteadOfBoundOnes]
                )
            }
        }

        var keyStore: any KeyStore {
            [.boundedWithoutKey, .boundedWithFallbackWithoutKey].contains(self) ? KeylessStore() : MemoryKeyStore()
        }
    }

    /// The outcome of a sign-in.
    enum Outcome: Equatable {
        case bound
        case bearer
        /// Bearer tokens although bound ones were preferred: the app is notified.
        case downgraded
        case refused(OAuthClientError.Code)
    }

    private static func expected(_ conduct: BindingServer.Conduct, _ setting: Setting) -> Outcome {
        switch (setting, conduct) {
        case (.bounded, .doesNotSupport): .refused(.unsupportedByServer)
        case (.bounded, .answersBearer), (.bounded, .breaksItsWord): .refused(.tokenTypeRejected)
        case (.bounded, _): .bound
        case (.boundedIfOffered, .doesNotSupport), (.boundedIfOffered, .answersBearer): .downgraded
        case (.boundedIfOffered, .breaksItsWord): .refused(.tokenTypeRejected)
        case (.boundedIfOffered, _): .bound
        case (.boundedWithFallback, .doesNotSupport), (.boundedWithFallback, .answersBearer),
            (.boundedWithFallback, .breaksItsWord):
            .downgraded
        case (.boundedWithFallback, _): .bound
        case (.unbounded, .requires): .refused(.tokenBindingRequired)
        case (.unbounded, .answersDPoPUnasked): .refused(.boundTokensNotAskedFor)
        case (.unbounded, _): .bearer
        case (.boundedWithoutKey, .doesNotSupport): .refused(.unsupportedByServer)
        case (.boundedWithoutKey, _): .refused(.keyUnavailable)
        case (.boundedWithFallbackWithoutKey, .requires): .refused(.tokenBindingRequired)
        case (.boundedWithFallbackWithoutKey, .answersDPoPUnasked): .refused(.boundTokensNotAskedFor)
        case (.boundedWithFallbackWithoutKey, _): .downgraded
        }
    }

    @Test(.timeLimit(.minutes(1)), arguments: BindingServer.Conduct.allCases, Setting.allCases)
    func `trap 54: what the server does, against what the client is set to`(
        _ conduct: BindingServer.Conduct,
        _ setting: Setting
    ) async throws {
        let server = try BindingServer(conduct)
        let client = try Self.client(server, setting.configuration, keyStore: setting.keyStore)
        let events = client.sessionEvents()
        let outcome: Outcome
        do {
            let session = try await client.signIn(scopes: ["a"], using: ConsentingUser(server: server))
            let type = try await session.tokenManager.fetch().tokenType
            try await Self.useAndRefresh(session, server)
            await session.signOut()
            // The events end with the sign-out: a client that gives up bound tokens reports it before.
            var told: [SessionEvent] = []
            for await event in events {
                told.append(event)
                if event == .signedOut { break }
            }
            let downgrades = told.filter { $0 == .bindingDowngraded }.count
            #expect(downgrades <= 1, "the app is told once")
            outcome = type == .dpop ? .bound : downgrades == 0 ? .bearer : .downgraded
        } catch let error as OAuthClientError {
            outcome = .refused(error.code)
        }
        #expect(outcome == Self.expected(conduct, setting))
        #expect(server.violations.isEmpty)
        if setting == .unbounded || setting == .boundedWithFallbackWithoutKey {
            #expect(server.requests(to: "/par").allSatisfy { $0.fields["DPoP"] == nil })
            #expect(server.requests(to: "/token").allSatisfy { $0.fields["DPoP"] == nil })
        }
    }

    /// Calls the API, refreshes and calls again; all tokens must be of one kind.
    private static func useAndRefresh(_ session: OAuthSession, _ server: BindingServer) async throws {
        let request = URLRequest(url: try #require(URL(string: server.issuer + "/api")))
        let before = try await session.tokenManager.fetch()
        #expect(String(decoding: try await session.data(for: request).0, as: UTF8.self) == "hello")
        let after = try await session.tokenManager.refresh()
        #expect(after.accessToken != before.accessToken)
        #expect(after.tokenType == before.tokenType)
        #expect(after.keyThumbprint == before.keyThumbprint)
        #expect(String(decoding: try await session.data(for: request).0, as: UTF8.self) == "hello")
    }

    private static func client(
        _ server: BindingServer,
        _ configuration: any TokenBoundConfiguration,
        keyStore: any KeyStore = MemoryKeyStore(),
        tokenStore: any TokenStore = MemoryTokenStore(),
        account: String = "default"
    ) throws -> OAuth2Client {
        var whole = OAuth2ClientConfiguration.allowingInsecureHTTPOnLoopback
        whole.account = account
        whole.tokenBoundConfiguration = configuration
        return try OAuth2Client(
            issuer: server.issuer,
            clientID: "my-app",
            redirectURI: "com.example.app:/callback",
            configuration: whole,
            keyStore: keyStore,
            tokenStore: tokenStore
        )
    }

    /// A session of one client, opened by another client with the same stores and another configuration.
    private static func switched(
        from old: any TokenBoundConfiguration,
        to new: any TokenBoundConfiguration
    ) async throws -> (OAuthSession, OAuth2Client, BindingServer, any KeyStore) {
        let server = try BindingServer(.supports)
        let (keys, tokens) = (MemoryKeyStore(), MemoryTokenStore())
        let first = try client(server, old, keyStore: keys, tokenStore: tokens)
        _ = try await first.signIn(scopes: [], using: ConsentingUser(server: server))
        let second = try client(server, new, keyStore: keys, tokenStore: tokens)
        return (try #require(try await second.restoreSession()), second, server, keys)
    }

    @Test func `trap 53: a session of another setting needs a new sign-in, and nothing is sent for it`() async throws {
        let bounded = BoundedTokenConfiguration()
        let cases: [(any TokenBoundConfiguration, any TokenBoundConfiguration)] = [
            (bounded, UnboundedTokenConfiguration()), (UnboundedTokenConfiguration(), bounded),
            (bounded, BoundedTokenConfiguration(keyPairType: .ed25519)),
        ]
        for (old, new) in cases {
            let (session, _, server, _) = try await Self.switched(from: old, to: new)
            let url = try #require(URL(string: server.issuer + "/api"))
            let before = server.requests(to: "/token").count
            let refresh = await clientError { try await session.tokenManager.refresh() }
            let call = await clientError { _ = try await session.data(for: URLRequest(url: url)) }
            #expect(refresh?.code == .keyMismatch)
            #expect(call?.code == .keyMismatch)
            #expect(server.requests(to: "/token").count == before)
            #expect(server.requests(to: "/api").isEmpty)
            // The session can still be ended.
            await session.signOut()
            #expect(server.requests(to: "/revoke").count == 1)
        }
    }

    @Test func `trap 53: after the new sign-in the key of the new type is used, and sign-out deletes both`()
        async throws
    {
        let server = try BindingServer(.isSilent)
        let keys = MemoryKeyStore()
        let first = try Self.client(server, BoundedTokenConfiguration(), keyStore: keys)
        _ = try await first.signIn(scopes: [], using: ConsentingUser(server: server))
        let second = try Self.client(server, BoundedTokenConfiguration(keyPairType: .ed25519), keyStore: keys)
        // The server of this test reads only P-256 proofs, so the recorded request is checked.
        _ = await clientError { _ = try await second.initiateAuthorization(scopes: []) }
        let proof = try #require(server.requests(to: "/par").last?.fields["DPoP"])
        #expect(try CompactJWS(parsing: proof).header["alg"]?.stringValue == "EdDSA")
        #expect(try await keys.aliases().count == 2)
        let restored = try #require(try await first.restoreSession())
        await restored.signOut()
        #expect(try await keys.aliases().isEmpty)
    }

    @Test(arguments: [KeyStoreError.Code.deviceLocked, .keyLost, .wrongPassphrase, .insecurePermissions])
    func `a key that cannot be opened is never passed over`(_ code: KeyStoreError.Code) async throws {
        let server = try BindingServer(.supports)
        let fallback = TokenBindingFallback.unboundTokensWhenNoKeyCanBeMade
        let configuration = BoundedTokenConfiguration(fallback: fallback)
        for store in [KeylessStore(code: code), KeylessStore(code: .storageFailed, loadError: code)] {
            let client = try Self.client(server, configuration, keyStore: store)
            let error = await clientError { _ = try await client.initiateAuthorization(scopes: []) }
            #expect(error?.code == .keyUnavailable)
        }
        #expect(server.requests(to: "/par").isEmpty)
    }

    @Test(arguments: [KeyStoreError.Code.hardwareRequired, .missingEntitlement, .deviceUnavailable])
    func `a client that may go on without a key does so when there can be none`(_ code: KeyStoreError.Code) async throws
    {
        let server = try BindingServer(.supports)
        let setting = Setting.boundedWithFallbackWithoutKey.configuration
        let client = try Self.client(server, setting, keyStore: KeylessStore(code: code))
        let session = try await client.signIn(scopes: [], using: ConsentingUser(server: server))
        #expect(try await session.keyProtection() == nil)
        // If the store cannot say whether there is a key, there may be one; if its device works later, one can be made.
        for store in [KeylessStore(code: code, loadError: code), KeylessStore(code: code, forbidsFallback: true)] {
            let unknown = try Self.client(server, setting, keyStore: store)
            let error = await clientError { _ = try await unknown.initiateAuthorization(scopes: []) }
            #expect(error?.keyStoreError?.code == code)
        }
    }

    @Test(arguments: [BindingServer.Conduct.answersBearer, .doesNotSupport])
    func `an account with bound tokens stays bound where DPoP is not offered any more, at a sign-in and a refresh`(
        _ conduct: BindingServer.Conduct
    ) async throws {
        let server = try BindingServer(.supports)
        let (keys, tokens) = (MemoryKeyStore(), MemoryTokenStore())
        let client = try Self.client(server, .dpopIfOffered, keyStore: keys, tokenStore: tokens)
        let session = try await client.signIn(scopes: ["a"], using: ConsentingUser(server: server))
        server.change(to: conduct)
        // Another process, which reads the metadata anew.
        let next = try Self.client(server, .dpopIfOffered, keyStore: keys, tokenStore: tokens)
        let error = await clientError {
            _ = try await next.signIn(scopes: ["a"], using: ConsentingUser(server: server))
        }
        #expect(error?.code == .bindingWithdrawn)
        let refreshed = await clientError { try await session.tokenManager.refresh() }
        #expect(refreshed != nil)
        #expect(server.requests(to: "/api").isEmpty)
    }

    @Test(arguments: [BindingServer.Conduct.answersBearer, .doesNotSupport])
    func
        `a server that gave bound tokens must go on with it, for a new account too and after a sign-out, until told otherwise`(
            _ conduct: BindingServer.Conduct
        ) async throws
    {
        let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let server = try BindingServer(.supports)
        let store = FileTokenStore(directory: directory)
        func client(_ account: String) throws -> OAuth2Client {
            try Self.client(server, .dpopIfOffered, tokenStore: store, account: account)
        }
        let session = try await client("first").signIn(scopes: ["a"], using: ConsentingUser(server: server))
        await session.signOut()
        server.change(to: conduct)
        for account in ["first", "second"] {
            let client = try client(account)
            // The second time, before the browser.
            for _ in 0..<2 {
                let error = await clientError {
                    _ = try await client.signIn(scopes: ["a"], using: ConsentingUser(server: server))
                }
                #expect(error?.code == .bindingWithdrawn)
                #expect(error?.reason.contains("forgetBoundTokens") == true)
            }
            #expect(try await client.restoreSession() == nil)
        }
        try await client("third").forgetBoundTokens()
        let bearer = try await client("third").signIn(scopes: ["a"], using: ConsentingUser(server: server))
        #expect(try await bearer.tokenManager.fetch().tokenType == .bearer)
    }

    @Test func `each fallback is for its own case`() async throws {
        let server = try BindingServer(.answersBearer)
        let withoutKey = BoundedTokenConfiguration(fallback: .unboundTokensWhenNoKeyCanBeMade)
        let bearer = BoundedTokenConfiguration(fallback: .bearerTokensInsteadOfBoundOnes)
        let first = try Self.client(server, withoutKey)
        let refused = await clientError {
            _ = try await first.signIn(scopes: [], using: ConsentingUser(server: server))
        }
        #expect(refused?.code == .tokenTypeRejected)
        let second = try Self.client(server, bearer, keyStore: KeylessStore())
        let keyless = await clientError { _ = try await second.initiateAuthorization(scopes: []) }
        #expect(keyless?.code == .keyUnavailable)
    }

    @Test func `access tokens for other resources that are not bound are told too`() async throws {
        let server = try BindingServer(.supports)
        let client = try Self.client(server, Setting.boundedWithFallback.configuration)
        let session = try await client.signIn(scopes: ["a"], using: ConsentingUser(server: server))
        let events = client.sessionEvents()
        server.change(to: .answersBearer)
        let tokens = try await session.tokenManager.fetch(resources: ["https://api.example/a"])
        #expect(tokens.tokenType == .bearer)
        await session.signOut()
        var told: [SessionEvent] = []
        for await event in events {
            told.append(event)
            if event == .signedOut { break }
        }
        #expect(told == [.bindingDowngraded, .signedOut])
    }

    @Test func `trap 34: a server that takes other proofs is no reason to send none`() async throws {
        let server = try BindingServer(.supports)
        let everything: TokenBindingFallback = [.unboundTokensWhenNoKeyCanBeMade, .bearerTokensInsteadOfBoundOnes]
        let client = try Self.client(server, BoundedTokenConfiguration(keyPairType: .p384, fallback: everything))
        let error = await clientError { _ = try await client.initiateAuthorization(scopes: []) }
        #expect(error?.code == .unsupportedByServer)
        #expect(error?.reason.contains("ES256") == true)
    }

    @Test func `trap 35: tokens that are bound to no known key are not sent as Bearer`() async throws {
        let server = try BindingServer(.supports)
        let client = try Self.client(server, UnboundedTokenConfiguration())
        let tokens = TokenSet(
            accessToken: AccessToken("bound"),
            tokenType: .dpop,
            expiresAt: nil,
            refreshToken: nil,
            scope: try Scope([]),
            keyThumbprint: nil
        )
        let session = try await client.startSession(with: tokens)
        let url = try #require(URL(string: server.issuer + "/api"))
        let error = await clientError { _ = try await session.data(for: URLRequest(url: url)) }
        #expect(error?.code == .keyMissing)
        #expect(server.requests(to: "/api").isEmpty)
    }

    @Test func `tokens without a key are stored and read again, bound ones without a key are not`() throws {
        let tokens = TokenSet(
            accessToken: AccessToken("free"),
            tokenType: .bearer,
            expiresAt: nil,
            refreshToken: nil,
            scope: try Scope([]),
            keyThumbprint: nil
        )
        #expect(try TokenSet(parsing: tokens.json) == tokens)
        var broken = tokens.json
        broken["token_type"] = "DPoP"
        #expect(throws: OAuthClientError.self) { try TokenSet(parsing: broken) }
        var wrong = tokens.json
        wrong["jkt"] = 7
        #expect(throws: OAuthClientError.self) { try TokenSet(parsing: wrong) }
    }
}
#endif
