// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthTransport
import SigningKeys
import TestSupport

@testable import OAuthClient

/// The stores of an app with several accounts, and the server that its users sign in to.
struct AccountFixture: Sendable {
    let clock = FixedClock()
    let provider: OpenIDProvider
    let keyStore = MemoryKeyStore()
    let tokenStore: any TokenStore
    let accountStore = FaultyAccountStore()

    init(tokenStore: any TokenStore = FaultyTokenStore()) async throws {
        provider = try await OpenIDProvider(clock: clock)
        self.tokenStore = tokenStore
    }

    /// As after a start of the app: nothing is known but what is stored.
    ///
    /// Each start of a test has a seed of its own.
    func manager(
        seed: UInt64 = 1,
        clientID: String = "my-app",
        transport: any ClientTransport = DatedTransport()
    ) throws -> AccountManager {
        try AccountManager(
            issuer: provider.base,
            clientID: clientID,
            redirectURI: "com.example.app:/callback",
            configuration: .allowingInsecureHTTPOnLoopback,
            storage: ClientStorage(
                keyStore: keyStore,
                tokenStore: tokenStore,
                transactionStore: MemoryTransactionStore(),
                accountStore: accountStore
            ),
            transport: transport,
            clock: clock,
            entropy: SeededEntropy(seed: seed)
        )
    }

    @discardableResult
    func signIn(_ manager: AccountManager, _ subject: String, as id: String? = nil) async throws -> OAuthSession {
        try await manager.signIn(scopes: ["openid"], using: ProviderUser(subject: subject, provider: provider), as: id)
    }

    func account(_ id: String) -> ClientAccount {
        ClientAccount(issuer: provider.base, clientID: "my-app", name: id)
    }

    func tokens(of id: String) async throws -> TokenSet? {
        try await tokenStore.tokens(of: account(id))
    }
}
#endif
