// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthSystem
import Synchronization

/// Receives the answer of one sign-in on a port of the loopback address (RFC 8252 section 7.3).
///
/// It listens from the moment it is made, so that the browser cannot come too early; it serves one sign-in and closes.
/// Only IP literals are used, since `localhost` may resolve to something else (section 8.3).
public final class LoopbackReceiver: Sendable {
    /// The redirect URI with the port that is listened on.
    public let redirectURI: String
    private let authority: String
    private let path: String
    private let listener: Mutex<LoopbackSocket?>

    /// Starts to listen.
    ///
    /// - Parameter redirectURI: `http`, the host `127.0.0.1` or `[::1]`, and a path. Without a port the operating system
    ///   chooses one; without IPv4 on this machine, `[::1]` is used in place of `127.0.0.1`.
    /// - Throws: ``OAuthClientError/Code/unsupportedRedirectURI`` for another URI,
    ///   ``OAuthClientError/Code/loopbackFailed`` when the address or port cannot be had.
    public init(redirectURI: String = "http://127.0.0.1/callback") throws(OAuthClientError) {
        guard let uri = try? URI(parsing: redirectURI), Self.canReceive(uri) else {
            throw OAuthClientError(
                .unsupportedRedirectURI,
                "a loopback redirect URI is http://127.0.0.1/path or http://[::1]/path, with or without a port"
            )
        }
        let port = uri.port ?? 0
        let listener = Self.listen(uri, port: port)
        guard let listener else {
            throw OAuthClientError(
                .loopbackFailed,
                port == 0
                    ? "no loopback address of this machine can be listened on"
                    : "port \(port) cannot be listened on; leave the port out and one is chosen"
            )
        }
        path = uri.path.isEmpty ? "/" : uri.path
        authority = listener.authority
        let query = uri.query.map { "?" + $0 } ?? ""
        self.redirectURI = "http://" + listener.authority + uri.path + query
        self.listener = Mutex(listener.listening)
    }

    private static func listen(_ uri: URI, port: UInt16) -> LoopbackListener? {
        if uri.host == "[::1]" { return LoopbackListener.onIPv6(port: port) }
        // A fixed port that is taken stays taken: whoever has it could receive what is meant for us.
        guard port == 0 else { return LoopbackListener.onIPv4(port: port) }
        return LoopbackListener.onIPv4(port: 0) ?? LoopbackListener.onIPv6(port: 0)
    }

    /// Whether this receiver can listen at a redirect URI.
    static func canReceive(_ uri: URI) -> Bool {
        uri.scheme.lowercased() == "http" && (uri.host == "127.0.0.1" || uri.host == "[::1]")
            && uri.userinfo == nil && uri.fragment == nil
    }

    /// Checks that the answer will come in a way that arrives here.
    static func requireSupport(of mode: ResponseMode) throws(OAuthClientError) {
        guard mode.carrier == .fragment else { return }
        // A page with a script could read it, and hand it to whatever else runs there: better not to ask for it.
        throw OAuthClientError(
            .unsupportedResponseMode,
            "a browser does not send the fragment to a loopback address: use query or form_post, or query.jwt or form_post.jwt"
        )
    }

    /// Waits for the answer of a sign-in, then closes.
    ///
    /// Requests with another path, another `Host` or another `state` are sent away and do not end the wait. The browser is
    /// sent on to a page that says that the window can be closed, so that the code leaves the address bar. A form is taken
    /// only for a request with ``ResponseMode/formPost`` or ``ResponseMode/formPostJWT``: of its own type, with a length,
    /// and 16 KiB at most.
    ///
    /// - Parameters:
    ///   - request: The authorization request.
    ///   - timeout: How long to wait.
    /// - Returns: What the browser brought: the URL, and the body of a form.
    /// - Throws: ``OAuthClientError/Code/timedOut``, ``OAuthClientError/Code/cancelled``,
    ///   ``OAuthClientError/Code/unsupportedResponseMode`` for an answer in the fragment,
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
        )
    }

    /// Waits for the browser to come back with a `state`, in the query, then closes: for other visits than sign-ins, such as
    /// the end of a session (``OAuthSession/endSessionURL(postLogoutRedirectURI:state:)``).
    ///
    /// - Parameters:
    ///   - state: The `state` that the browser must bring.
    ///   - timeout: How long to wait.
    /// - Returns: What the browser brought.
    /// - Throws: The codes of ``callback(of:timeout:)``.
    public func callback(
        state: String,
        timeout: Duration = .seconds(300)
    ) async throws(OAuthClientError) -> AuthorizationCallback {
        try await callback(state: state, timeout: timeout, requestTimeout: .seconds(5), afterglow: .seconds(10))
    }

    /// The same, with how long the app waits for the browser to fetch the last page, after which it may end; and how long a
    /// slower one can still fetch it while the app goes on.
    func callback(
        state: String,
        expectsForm: Bool = false,
        timeout: Duration,
        requestTimeout: Duration,
        afterglow: Duration
    ) async throws(OAuthClientError) -> AuthorizationCallback {
        guard let socket = listener.withLock({ $0.take() }), let waker = WakeupPipe() else {
            throw OAuthClientError(.loopbackFailed, "a loopback receiver serves one sign-in; make a new one")
        }
        let conversation = LoopbackHandler(
            authority: authority,
            path: path,
            state: state,
            expectsForm: expectsForm
        )
        let ending: LoopbackLoop.Ending? = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // A thread of its own: waiting in poll would take a thread of the cooperative pool away.
                let hasStarted = DetachedThread.start {
                    var loop = LoopbackLoop(
                        listener: socket,
                        waker: waker,
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
        case .received(let callback): return callback
        case .timedOut: throw OAuthClientError(.timedOut, "nobody came back from the browser in time")
        case nil: throw OAuthClientError(.loopbackFailed, "the system has no thread to wait for the browser")
        case .cancelled: throw OAuthClientError(.cancelled, "the sign-in was cancelled")
        }
    }
}
