// SPDX-License-Identifier: Apache-2.0

#if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
public import AuthenticationServices
import Foundation

/// The browser that iOS, macOS and visionOS show above an app for signing in (`ASWebAuthenticationSession`).
///
/// The redirect URI of the client is `com.example.app:/callback`, which needs no entry in `Info.plist`, or
/// `https://app.example.com/callback`, for which the host must name the app in its `apple-app-site-association` under
/// `webcredentials`, and the app the host in its entitlement for associated domains; `keybound aasa --check`
/// says what is missing.
public final class WebAuthenticationSession: UserAgent {
    private let prefersEphemeralSession: Bool
    private let presentationAnchor: @MainActor @Sendable () -> ASPresentationAnchor

    /// Makes a user agent.
    ///
    /// - Parameters:
    ///   - prefersEphemeralSession: Whether the browser shares no cookies with others: the user then signs in anew each
    ///     time, and nobody else's session is used. macOS takes it as a wish.
    ///   - presentationAnchor: The window that the browser is shown above; called on the main actor when it is shown.
    public init(
        prefersEphemeralSession: Bool = false,
        presentationAnchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor
    ) {
        self.prefersEphemeralSession = prefersEphemeralSession
        self.presentationAnchor = presentationAnchor
    }

    /// Shows the pages and waits for the answer.
    ///
    /// - Parameters:
    ///   - redirectURI: The redirect URI of the client: a scheme of its own, or https on the default port.
    ///   - makeRequest: Makes the authorization request.
    /// - Returns: The URL that the browser was sent to.
    /// - Throws: ``OAuthClientError/Code/unsupportedRedirectURI``, ``OAuthClientError/Code/unsupportedResponseMode`` for
    ///   answers in a form, ``OAuthClientError/Code/cancelled`` when the person closes the browser or the task is cancelled,
    ///   ``OAuthClientError/Code/browserUnavailable`` when the system shows none,
    ///   ``OAuthClientError/Code/userAgentFailed`` when it refuses the app, mostly for a callback of https that its host does
    ///   not give to it; and what `makeRequest` throws.
    public func authorize(
        redirectURI: String,
        _ makeRequest: @Sendable (_ redirectURI: String) async throws -> AuthorizationRequest
    ) async throws -> AuthorizationCallback {
        // Before anything is sent: a request for a callback that cannot be caught is of no use.
        let target = try WebCallbackTarget(redirectURI)
        let request = try await makeRequest(redirectURI)
        guard request.responseMode.carrier != .form else {
            throw OAuthClientError(
                .unsupportedResponseMode,
                "the system hands an app the URL of the answer only: use query or fragment, with or without jwt"
            )
        }
        guard let url = URL(string: request.url) else {
            throw OAuthClientError(.invalidArgument, "the system takes the authorization request for no URL")
        }
        let visit = await WebAuthenticationVisit(
            prefersEphemeralSession: prefersEphemeralSession,
            presentationAnchor: presentationAnchor
        )
        return AuthorizationCallback(url: try await visit.callback(from: url, to: target).absoluteString)
    }
}

extension UserAgent where Self == WebAuthenticationSession {
    /// The browser that the system shows above the app for signing in.
    ///
    /// - Parameters:
    ///   - prefersEphemeralSession: Whether the browser shares no cookies with others.
    ///   - presentationAnchor: The window that the browser is shown above.
    /// - Returns: The user agent.
    public static func webAuthenticationSession(
        prefersEphemeralSession: Bool = false,
        presentationAnchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor
    ) -> WebAuthenticationSession {
        WebAuthenticationSession(
            prefersEphemeralSession: prefersEphemeralSession,
            presentationAnchor: presentationAnchor
        )
    }
}
#endif
