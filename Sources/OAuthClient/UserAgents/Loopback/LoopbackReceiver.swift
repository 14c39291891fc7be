// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthSystem
import Synchronization

/// Receives the authorization response of one sign-in on a port of the loopback address (RFC 8252 section 7.3).
///
/// It listens from the moment it is made, so the browser cannot come too early. It serves one sign-in and closes. Use an
/// IP literal where the server takes one: `localhost` may resolve to another address (section 8.3).
public final class LoopbackReceiver: Sendable {
    /// The redirect URI with the port of the listener.
    public let redirectURI: String
    private let authority: String
    private let path: String
    private let listener: Mutex<LoopbackSocket?>
    /// Whether `[::1]` stands in for `127.0.0.1`, on a machine without IPv4.
    private let replacesIPv4: Bool

    /// Opens a listener at a port; `nil` when the address or port is not available.
    typealias Listening = (_ port: UInt16) -> LoopbackListener?

    /// Starts listening.
    ///
    /// - Parameter redirectURI: `http`, the host `127.0.0.1`, `[::1]` or `localhost`, and a path. Without a port the operating
    ///   system chooses one; on a machine without IPv4, `[::1]` replaces `127.0.0.1`.
    /// - Throws: ``OAuthClientError/Code/unsupportedRedirectURI`` for another URI, or a port that browsers do not use,
    ///   ``OAuthClientError/Code/loopbackFailed`` when the address or port is not available.
    public convenience init(redirectURI: String = "http://127.0.0.1/callback") throws(OAuthClientError) {
        try self.init(redirectURI: redirectURI, onIPv4: LoopbackListener.onIPv4)
    }

    init(redirectURI: String, onIPv4: Listening) throws(OAuthClientError) {
        guard let uri = try? URI(parsing: redirectURI), Self.canReceive(uri) else {
            throw OAuthClientError(
                .unsupportedRedirectURI,
                "a loopback redirect URI is http://127.0.0.1/path, http://[::1]/path or http://localhost/path, with or "
                    + "without a port"
            )
        }
        let port = uri.port ?? 0
        guard BrowserPorts.canReach(port) else {
            throw OAuthClientError(
                .unsupportedRedirectURI,
                "a browser does not return to port \(port); leave the port out to use any free one, or choose another one, "
                    + "such as 8123"
            )
        }
        let listener = Self.listen(uri, port: port, onIPv4)
        guard let listener else { throw OAuthClientError(.loopbackFailed, Self.reasonNotToListen(on: port)) }
        path = uri.path.isEmpty ? "/" : uri.path
        // The browser resolves the name; the listener is where it most likely goes.
        let bound = listener.authority.split(separator: ":").last.map(String.init) ?? ""
        authority = uri.host == "localhost" ? "localhost:" + bound : listener.authority
        replacesIPv4 = uri.host == "127.0.0.1" && authority.hasPrefix("[")
        let query = uri.query.map { "?" + $0 } ?? ""
        self.redirectURI = "http://" + authority + uri.path + query
        self.listener = Mutex(listener.listening)
    }

    private static func reasonNotToListen(on port: UInt16) -> String {
        guard port != 0 else { return "cannot listen on any loopback address of this machine" }
        let reason = port < 1024 ? "ports below 1024 need special privileges" : "another program may use it"
        return "cannot listen on port \(port): \(reason); leave the port out to use any free one"
    }

    private static func listen(_ uri: URI, port: UInt16, _ onIPv4: Listening) -> LoopbackListener? {
        if uri.host == "[::1]" { return LoopbackListener.onIPv6(port: port) }
        // If a fixed port is taken, do not use another address: the other listener could receive the response.
        guard port == 0 else { return onIPv4(port) }
        return onIPv4(0) ?? LoopbackListener.onIPv6(port: 0)
    }

    /// Whether a receiver can listen at a redirect URI.
    static func canReceive(_ uri: URI) -> Bool {
        uri.scheme.lowercased() == "http" && ["127.0.0.1", "[::1]", "localhost"].contains(uri.host)
            && uri.userinfo == nil && uri.fragment == nil
    }

    /// Checks that a receiver can receive responses in this mode.
    static func requireSupport(of mode: ResponseMode) throws(OAuthClientError) {
        guard mode.carrier == .fragment else { return }
        // Only a page with a script could read the fragment, and other code in that page could read it too: reject the
        // mode.
        throw OAuthClientError(
            .unsupportedResponseMode,
            "a browser does not send the fragment to a loopback address: use query or form_post, or query.jwt or form_post.jwt"
        )
    }

    /// Adds to the error of a sign-in that the server may not know the redirect URI.
    ///
    /// A server that compares hosts refuses `[::1]` where `127.0.0.1` is registered, at once or with a page that the user sees.
    func explaining(_ error: any Error) -> any Error {
        guard replacesIPv4, let error = error as? OAuthClientError,
            error.code == .timedOut || error.code == .serverRejected
        else { return error }
        return OAuthClientError(
            error.code,
            error.reason
                + "; this machine has no 127.0.0.1, so that the redirect URI was \(redirectURI), which the server "
                + "may refuse: register http://[::1] with the same path too",
            answer: error.answer,
            status: error.status,
            retryAfter: error.retryAfter,
            underlying: error
        )
    }

    /// Waits for the response of a sign-in.
    ///
    /// Requests with another path, another `Host` or another `state` are rejected and do not end the wait. The browser
    /// is redirected to a page, so that the code leaves the address bar. The page says how the sign-in ended, once
    /// ``AuthorizationCallback/conclude(_:)`` was called, as ``OAuth2Client/resumeSignIn(_:)-(AuthorizationCallback)`` does; after 5
    /// seconds it says that the user should go back to the application. Then the receiver closes. A form
    /// is accepted only for a request with ``ResponseMode/formPost`` or ``ResponseMode/formPostJWT``: of the form media
    /// type, with a length, and 16 KiB at most.
    ///
    /// - Parameters:
    ///   - request: The authorization request.
    ///   - timeout: How long to wait.
    /// - Returns: What the browser sent: the URL, and the body of a form.
    /// - Throws: ``OAuthClientError/Code/timedOut``, ``OAuthClientError/Code/cancelled``,
    ///   ``OAuthClientError/Code/unsupportedResponseMode`` for a response in the fragment,
    ///   ``OAuthClientError/Code/loopbackFailed`` when the receiver has been used before.
    public func callback(
        of request: AuthorizationRequest,
        timeout: Duration = .seconds(300)
    ) async throws(OAuthClientError) -> AuthorizationCallback {
        try Self.requireSupport(of: request.responseMode)
        return try await callback(
            state: request.state,
            expectsForm: request.responseMode.carrier == .form,
            timeout: timeout,
            requestTimeout: .seconds(5),
            afterglow: .seconds(10)
        ).callback
    }

    /// Waits for the browser to return with a `state` in the query, shows it a page that says “Signed out”, then closes.
    ///
    /// For other purposes than sign-ins, such as the end of a session
    /// (``OAuthSession/endSessionURL(postLogoutRedirectURI:state:)``).
    ///
    /// - Parameters:
    ///   - state: The `state` that the browser must send.
    ///   - timeout: How long to wait.
    /// - Returns: What the browser sent.
    /// - Throws: The codes of ``callback(of:timeout:)``.
    public func callback(
        state: String,
        timeout: Duration = .seconds(300)
    ) async throws(OAuthClientError) -> AuthorizationCallback {
        let received = try await callback(
            state: state,
            timeout: timeout,
            requestTimeout: .seconds(5),
            afterglow: .seconds(10)
        )
        await received.outcome.conclude(.signedOut)
        return received.callback
    }

    /// The same, with two more timeouts: how long the last page waits for the outcome and the app for the browser to fetch the
    /// page, and how long a slow browser can still fetch it after that.
    func callback(
        state: String,
        expectsForm: Bool = false,
        timeout: Duration,
        requestTimeout: Duration,
        afterglow: Duration
    ) async throws(OAuthClientError) -> (callback: AuthorizationCallback, outcome: LoopbackOutcome) {
        guard let socket = listener.withLock({ $0.take() }), let waker = WakeupPipe() else {
            throw OAuthClientError(.loopbackFailed, "a loopback receiver serves one sign-in; make a new one")
        }
        let conversation = LoopbackHandler(
            authority: authority,
            path: path,
            state: state,
            expectsForm: expectsForm
        )
        let outcome = LoopbackOutcome(waker)
        let ending: LoopbackLoop.Ending? = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // On its own thread: waiting in poll would block a thread of the cooperative pool.
                let hasStarted = DetachedThread.start {
                    var loop = LoopbackLoop(
                        listener: socket,
                        waker: waker,
                        outcome: outcome,
                        conversation: conversation,
                        timeout: timeout,
                        requestTimeout: requestTimeout,
                        afterglow: afterglow
                    )
                    loop.run { continuation.resume(returning: $0) }
                }
                if !hasStarted { continuation.resume(returning: nil) }
            }
        } onCancel: {
            waker.wake()
        }
        switch ending {
        case .received(let callback):
            let told = callback.telling(
                { await outcome.conclude(.init($0)) },
                onSignOut: { await outcome.conclude(.signedOut) }
            )
            return (told, outcome)
        case .timedOut: throw OAuthClientError(.timedOut, "the browser did not return in time")
        case nil: throw OAuthClientError(.loopbackFailed, "the system has no thread to wait for the browser")
        case .cancelled: throw OAuthClientError(.cancelled, "the sign-in was cancelled")
        }
    }
}
