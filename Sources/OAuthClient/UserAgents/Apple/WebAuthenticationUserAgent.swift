// SPDX-License-Identifier: Apache-2.0

#if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
public import AuthenticationServices
import Foundation

/// The browser that iOS, macOS and visionOS show above an app for signing in (`ASWebAuthenticationSession`).
///
/// The redirect URI of the client is either `com.example.app:/callback`, which needs no entry in `Info.plist`, or
/// `https://app.example.com/callback`. For https, the host must name the app in its `apple-app-site-association` under
/// `webcredentials`, and the app must name the host in its entitlement for associated domains; `keybound aasa --check`
/// says what is missing.
public final class WebAuthenticationUserAgent: UserAgent {
    private let prefersEphemeralSession: Bool
    private let presentationAnchor: @MainActor @Sendable () -> ASPresentationAnchor

    /// Makes a user agent.
    ///
    /// - Parameters:
    ///   - prefersEphemeralSession: Whether the browser shares no cookies with other browsers: the user then signs in
    ///     again each time, and no existing session is used. macOS may ignore it.
    ///   - presentationAnchor: The window that the browser is shown above; called on the main actor when it is shown.
    public init(
        prefersEphemeralSession: Bool = false,
        presentationAnchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor
    ) {
        self.prefersEphemeralSession = prefersEphemeralSession
        self.presentationAnchor = presentationAnchor
    }

    /// Shows the pages and waits for the response.
    ///
    /// - Parameters:
    ///   - redirectURI: The redirect URI of the client: a private-use scheme, or https on the default port.
    ///   - makeRequest: Makes the authorization request.
    /// - Returns: The URL that the browser was redirected to.
    /// - Throws: ``OAuthClientError/Code/unsupportedRedirectURI``, ``OAuthClientError/Code/unsupportedResponseMode``
    ///   for responses in a form, ``OAuthClientError/Code/cancelled`` when the user closes the browser or the task is
    ///   cancelled, ``OAuthClientError/Code/browserUnavailable`` when the system cannot show a browser,
    ///   ``OAuthClientError/Code/userAgentFailed`` when the system rejects the app, usually because the host of an
    ///   https callback does not name the app; and what `makeRequest` throws.
    public func authorize(
        redirectURI: String,
        _ makeRequest: @Sendable (_ redirectURI: String) async throws -> AuthorizationRequest
    ) async throws -> AuthorizationCallback {
        // Checked before a request is sent: a callback that cannot be caught makes the request pointless.
        let target = try WebCallbackTarget(redirectURI)
        let url = try await target.url(of: makeRequest(redirectURI))
        let visit = await WebAuthenticationVisit(
            prefersEphemeralSession: prefersEphemeralSession,
            presentationAnchor: presentationAnchor
        )
        return AuthorizationCallback(url: try await visit.callback(from: url, to: target).absoluteString)
    }
}

extension UserAgent where Self == WebAuthenticationUserAgent {
    /// The browser that the system shows above the app for signing in.
    ///
    /// - Parameters:
    ///   - prefersEphemeralSession: Whether the browser shares no cookies with other browsers.
    ///   - presentationAnchor: The window that the browser is shown above.
    /// - Returns: The user agent.
    public static func webAuthenticationSession(
        prefersEphemeralSession: Bool = false,
        presentationAnchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor
    ) -> WebAuthenticationUserAgent {
        WebAuthenticationUserAgent(
            prefersEphemeralSession: prefersEphemeralSession,
            presentationAnchor: presentationAnchor
        )
    }
}
#endif
