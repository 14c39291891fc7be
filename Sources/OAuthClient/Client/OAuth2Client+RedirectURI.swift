// SPDX-License-Identifier: Apache-2.0

public import OAuthTransport

extension OAuth2Client {
    /// Makes a client with one of the redirect URIs for apps, such as `.loopback`.
    ///
    /// - Parameters:
    ///   - issuer: The issuer identifier of the authorization server: an https URL without query and fragment.
    ///   - clientID: The identifier that the client is registered with.
    ///   - redirectURI: The redirect URI that the client is registered with.
    ///   - configuration: The settings of the client.
    ///   - storage: Where it keeps what it must remember.
    ///   - transport: How requests are sent.
    /// - Throws: The codes of the initializer that takes each store.
    public init(
        issuer: String,
        clientID: String,
        redirectURI: RedirectURI,
        configuration: OAuth2ClientConfiguration = OAuth2ClientConfiguration(),
        storage: ClientStorage,
        transport: any ClientTransport = PlatformTransport()
    ) throws(OAuthClientError) {
        try self.init(
            issuer: issuer,
            clientID: clientID,
            redirectURI: redirectURI.text,
            configuration: configuration,
            storage: storage,
            transport: transport
        )
    }
}

extension AccountManager {
    /// Makes a manager with one of the redirect URIs for apps, such as `.loopback`; nothing is read yet.
    ///
    /// - Parameters:
    ///   - issuer: The issuer identifier of the authorization server: an https URL without query and fragment.
    ///   - clientID: The identifier that the client is registered with.
    ///   - redirectURI: The redirect URI that the client is registered with.
    ///   - configuration: The settings of the clients; `account` is not used.
    ///   - storage: Where keys, tokens, waiting sign-ins and the list of accounts are kept.
    ///   - transport: How requests are sent.
    /// - Throws: The codes of the initializer that takes clocks.
    public init(
        issuer: String,
        clientID: String,
        redirectURI: RedirectURI,
        configuration: OAuth2ClientConfiguration = OAuth2ClientConfiguration(),
        storage: ClientStorage,
        transport: any ClientTransport = PlatformTransport()
    ) throws(OAuthClientError) {
        try self.init(
            issuer: issuer,
            clientID: clientID,
            redirectURI: redirectURI.text,
            configuration: configuration,
            storage: storage,
            transport: transport
        )
    }
}
