// SPDX-License-Identifier: Apache-2.0

#if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
public import AuthenticationServices
public import Foundation

/// The browser that SwiftUI gives a view for signing in, its environment value `webAuthenticationSession`.
///
/// <!-- not compiled: for Apple platforms -->
/// ```swift
/// @Environment(\.webAuthenticationSession) private var web
///
/// Button("Sign in") {
///     let browser = EnvironmentUserAgent { url, callback in
///         try await web.authenticate(using: url, callback: callback, additionalHeaderFields: [:])
///     }
///     Task { await model.signIn(scopes: ["openid", "notes:read"], using: browser) }
/// }
/// ```
///
/// The redirect URI of the client is that of a ``WebAuthenticationUserAgent``.
public struct EnvironmentUserAgent: UserAgent {
    /// Shows a page, and returns the URL that the browser was redirected to.
    public typealias Browse =
        @MainActor @Sendable (_ url: URL, _ callback: ASWebAuthenticationSession.Callback) async throws -> URL

    private let browse: Browse

    /// Makes a user agent.
    ///
    /// - Parameter browse: Calls `authenticate(using:callback:additionalHeaderFields:)` of the environment value.
    public init(_ browse: @escaping Browse) {
        self.browse = browse
    }

    /// Shows the pages and waits for the response.
    ///
    /// - Parameters:
    ///   - redirectURI: The redirect URI of the client: a private-use scheme, or https on the default port.
    ///   - makeRequest: Makes the authorization request.
    /// - Returns: The URL that the browser was redirected to.
    /// - Throws: The codes of ``WebAuthenticationUserAgent/authorize(redirectURI:_:)``, and what `makeRequest` throws.
    public func authorize(
        redirectURI: String,
        _ makeRequest: @Sendable (_ redirectURI: String) async throws -> AuthorizationRequest
    ) async throws -> AuthorizationCallback {
        let target = try WebCallbackTarget(redirectURI)
        let url = try await target.url(of: makeRequest(redirectURI))
        do {
            return AuthorizationCallback(url: try await browse(url, target.callback).absoluteString)
        } catch let error where !(error is OAuthClientError) && !(error is CancellationError) {
            throw target.failure(error)
        }
    }
}
#endif
