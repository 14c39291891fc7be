// SPDX-License-Identifier: Apache-2.0

#if os(macOS) || os(Linux)

/// The browser of the user.
///
/// The response is received on a loopback address (RFC 8252 section 7.3).
///
/// For command-line tools and desktop apps; the redirect URI of the client is `http://127.0.0.1/callback`. The browser
/// must run on the same machine.
public struct SystemBrowser: UserAgent {
    private let timeout: Duration
    private let showURL: (@Sendable (_ url: String) -> Void)?
    private let launcher: any BrowserLauncher

    /// Makes a user agent.
    ///
    /// - Parameters:
    ///   - timeout: How long to wait for the user.
    ///   - showURL: Called when no browser can be opened, to show the URL to the user; the user agent still waits for
    ///     the response. Without this closure, that case is an error.
    public init(timeout: Duration = .seconds(300), showURL: (@Sendable (_ url: String) -> Void)? = nil) {
        self.init(timeout: timeout, showURL: showURL, launcher: SystemBrowserLauncher())
    }

    /// Makes a user agent with a custom browser launcher.
    ///
    /// - Parameters:
    ///   - timeout: How long to wait for the user.
    ///   - showURL: Called with the URL if no browser can be opened.
    ///   - launcher: Opens the browser.
    public init(
        timeout: Duration = .seconds(300),
        showURL: (@Sendable (_ url: String) -> Void)? = nil,
        launcher: any BrowserLauncher
    ) {
        self.timeout = timeout
        self.showURL = showURL
        self.launcher = launcher
    }

    /// Opens the browser and waits for the response.
    ///
    /// - Parameters:
    ///   - redirectURI: The redirect URI of the client, on a loopback address.
    ///   - makeRequest: Makes the authorization request for the redirect URI with the port of the listener.
    /// - Returns: What the browser sent: the URL, and the body of a form.
    /// - Throws: ``OAuthClientError/Code/unsupportedRedirectURI``, ``OAuthClientError/Code/loopbackFailed``,
    ///   ``OAuthClientError/Code/unsupportedResponseMode``, ``OAuthClientError/Code/browserUnavailable``,
    ///   ``OAuthClientError/Code/timedOut``, ``OAuthClientError/Code/cancelled``, and what `makeRequest` throws.
    public func authorize(
        redirectURI: String,
        _ makeRequest: @Sendable (_ redirectURI: String) async throws -> AuthorizationRequest
    ) async throws -> AuthorizationCallback {
        // Listen first, so that the browser cannot come too early.
        let receiver = try LoopbackReceiver(redirectURI: redirectURI)
        do {
            let request = try await makeRequest(receiver.redirectURI)
            try LoopbackReceiver.requireSupport(of: request.responseMode)
            return try await callback(of: request, by: receiver)
        } catch {
            throw receiver.explaining(error)
        }
    }

    private func callback(
        of request: AuthorizationRequest,
        by receiver: LoopbackReceiver
    ) async throws -> AuthorizationCallback {
        try await withThrowingTaskGroup(of: AuthorizationCallback?.self) { group in
            group.addTask { try await receiver.callback(of: request, timeout: timeout) }
            group.addTask {
                // The launcher may be the browser itself, and then ends after the last page, which waits for the outcome.
                try await Uncancelled.run { () async throws(OAuthClientError) in try await open(request.url) }
                return nil
            }
            defer { group.cancelAll() }
            while let result = try await group.next() {
                if let callback = result { return callback }
            }
            throw OAuthClientError(.cancelled, "the sign-in was cancelled")
        }
    }

    private func open(_ url: String) async throws(OAuthClientError) {
        do {
            try await launcher.open(url)
        } catch {
            guard let showURL else { throw OAuthClientError(noBrowserFor: url, error) }
            showURL(url)
        }
    }
}

extension UserAgent where Self == SystemBrowser {
    /// The browser of the user; the response is received on a loopback address.
    ///
    /// If no browser can be opened and standard error is a terminal, the URL is written there. Otherwise that is an error,
    /// ``OAuthClientError/Code/browserUnavailable`` with the URL in ``OAuthClientError/authorizationURL``: such a program shows
    /// the URL itself (``systemBrowser(showURL:)``), or uses `startDeviceAuthorization`.
    public static var systemBrowser: SystemBrowser { SystemBrowser(showURL: TerminalURL.writer()) }

    /// The browser of the user, for machines that may have no browser.
    ///
    /// - Parameter showURL: Called with the URL if no browser can be opened, to show it to the user.
    /// - Returns: The user agent.
    public static func systemBrowser(
        showURL: @escaping @Sendable (_ url: String) -> Void
    ) -> SystemBrowser {
        SystemBrowser(showURL: showURL)
    }
}
#endif
