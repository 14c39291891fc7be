// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// What the browser sent to the redirect URI, not yet checked: a URL, and the body if it was a form.
///
/// It does not print, so that codes stay out of logs.
public struct AuthorizationCallback: Sendable, RedactedSecret {
    /// The URL that the browser was redirected to.
    public let url: String
    /// The body of the POST, of type `application/x-www-form-urlencoded`; `nil` when the response is in ``url``.
    public let formBody: [UInt8]?

    private var onOutcome: (@Sendable (SignInOutcome) async -> Void)?
    /// Tells a user agent of this module that the visit was no sign-in but a sign-out.
    private var onSignOut: (@Sendable () async -> Void)?

    /// The maximum size of a form, in bytes.
    ///
    /// URLs have the limit of `URI`.
    static let maximumFormSize = 16_384

    /// Makes a callback with the response in the query or the fragment.
    ///
    /// - Parameters:
    ///   - url: The URL that the browser was redirected to.
    ///   - onOutcome: Called by ``conclude(_:)``.
    public init(url: String, onOutcome: (@Sendable (SignInOutcome) async -> Void)? = nil) {
        self.url = url
        formBody = nil
        self.onOutcome = onOutcome
    }

    /// Makes a callback with the response in a form.
    ///
    /// - Parameters:
    ///   - url: The URL that the form was posted to.
    ///   - formBody: The body, of type `application/x-www-form-urlencoded`.
    ///   - onOutcome: Called by ``conclude(_:)``.
    public init(url: String, formBody: [UInt8], onOutcome: (@Sendable (SignInOutcome) async -> Void)? = nil) {
        self.url = url
        self.formBody = formBody
        self.onOutcome = onOutcome
    }

    /// The same response, with a user agent to tell the outcome to: that of a sign-in, or that a sign-out has ended.
    func telling(
        _ onOutcome: @escaping @Sendable (SignInOutcome) async -> Void,
        onSignOut: @escaping @Sendable () async -> Void
    ) -> AuthorizationCallback {
        var copy = self
        copy.onOutcome = onOutcome
        copy.onSignOut = onSignOut
        return copy
    }

    /// Tells the user agent how the sign-in ended, so that its last page can say so.
    ///
    /// The client calls it: ``OAuth2Client/resumeSignIn(_:)-(AuthorizationCallback)`` when the tokens are stored, and for an app
    /// that makes each step itself, ``OAuth2Client/parseAuthorizationResponse(_:)-(AuthorizationCallback)`` when it throws and
    /// ``OAuth2Client/exchangeAuthorizationCode(_:)`` in both cases. An app that rejects the tokens for reasons of its own may
    /// call it before. For a ``LoopbackReceiver`` only the first call counts, and each waits until the browser has fetched the
    /// page, but for 5 seconds at most: a program that exits stops serving it.
    ///
    /// - Parameter outcome: How the sign-in ended.
    public func conclude(_ outcome: SignInOutcome) async {
        await onOutcome?(outcome)
    }

    /// Tells the user agent that the browser came back from the end of a session at the server.
    func concludeSignOut() async {
        await onSignOut?()
    }

    /// Runs the last part of a sign-in, and tells the user agent whether it succeeded.
    func concluding<Result>(
        _ work: () async throws(OAuthClientError) -> Result
    ) async throws(OAuthClientError) -> Result {
        let result = try await concludingFailure(work)
        await conclude(.signedIn)
        return result
    }

    /// Runs a part of a sign-in that is not the last one, and tells the user agent if it failed.
    func concludingFailure<Result>(
        _ work: () async throws(OAuthClientError) -> Result
    ) async throws(OAuthClientError) -> Result {
        do {
            return try await work()
        } catch {
            await conclude(.notSignedIn)
            throw error
        }
    }
}
