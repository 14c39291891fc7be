// SPDX-License-Identifier: Apache-2.0

public import OAuthTransport

extension OAuth2Client {
    /// Makes a client, and says in one word where it keeps its key, its tokens and waiting sign-ins.
    ///
    /// - Parameters:
    ///   - issuer: The issuer identifier of the authorization server: an https URL without query and fragment.
    ///   - clientID: The identifier that the client is registered with.
    ///   - redirectURI: The redirect URI that the client is registered with; `nil` for a client that signs in no user.
    ///   - configuration: The settings of the client.
    ///   - storage: Where it keeps what it must remember.
    ///   - transport: How requests are sent.
    /// - Throws: The codes of the initializer that takes each store.
    public init(
        issuer: String,
        clientID: String,
        redirectURI: String? = nil,
        configuration: OAuth2ClientConfiguration = OAuth2ClientConfiguration(),
        storage: ClientStorage,
        transport: any ClientTransport = PlatformTransport()
    ) throws(OAuthClientError) {
        try self.init(
            issuer: issuer,
            clientID: clientID,
            redirectURI: redirectURI,
            configuration: configuration,
            keyStore: storage.keyStore,
            tokenStore: storage.tokenStore,
            transactionStore: storage.transactionStore,
            transport: transport
        )
    }
}
