// SPDX-License-Identifier: Apache-2.0

#if FoundationAPI || canImport(Darwin)
public import Foundation
public import OAuthTransport

extension OAuth2Client {
    /// Makes a client, with addresses as `URL`.
    ///
    /// The issuer is used as the URL spells it, to the last character: `https://auth.example.com` and
    /// `https://auth.example.com/` are two issuers.
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
        issuer: URL,
        clientID: String,
        redirectURI: URL? = nil,
        configuration: OAuth2ClientConfiguration = OAuth2ClientConfiguration(),
        storage: ClientStorage,
        transport: any ClientTransport = PlatformTransport()
    ) throws(OAuthClientError) {
        try self.init(
            issuer: issuer.absoluteString,
            clientID: clientID,
            redirectURI: redirectURI?.absoluteString,
            configuration: configuration,
            storage: storage,
            transport: transport
        )
    }

    /// Finishes a sign-in with a URL that the app was opened with, as in SwiftUI's `onOpenURL`.
    ///
    /// See ``resumeSignIn(_:)-(AuthorizationCallback)`` for the requirements.
    ///
    /// - Parameter callbackURL: The URL that the browser was redirected to.
    /// - Returns: A session that sends requests with the tokens, which are stored.
    /// - Throws: The codes of ``resumeSignIn(_:)-(AuthorizationCallback)``; ``OAuthClientError/Code/unrelatedCallback`` for a
    ///   URL that is for another part of the app.
    public func resumeSignIn(_ callbackURL: URL) async throws(OAuthClientError) -> OAuthSession {
        try await resumeSignIn(AuthorizationCallback(url: callbackURL.absoluteString))
    }
}

extension AuthorizationRequest {
    /// The URL that the browser must open, for `UIApplication.open` and its like; `nil` if Foundation cannot express it.
    public var openURL: URL? { URL(string: url) }
}
#endif
