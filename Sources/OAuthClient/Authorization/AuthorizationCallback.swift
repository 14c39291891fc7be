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

    private let onOutcome: (@Sendable (SignInOutcome) async -> Void)?

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

    /// The same response, with a user agent to tell the outcome to.
    func telling(_ onOutcome: @escaping @Sendable (SignInOutcome) async -> Void) -> AuthorizationCallback {
        guard let formBody else { return AuthorizationCallback(url: url, onOutcome: onOutcome) }
        return AuthorizationCallback(url: url, formBody: formBody, onOutcome: onOutcome)
    }

    /// Tells the user agent how the sign-in ended, so that its last page can say so.
    ///
    /// ``OAuth2Client/resumeSignIn(_:)-(AuthorizationCallback)`` calls it. An app that makes each step itself calls it after the
    /// last one. Only the first call counts. For a ``LoopbackReceiver``, it waits until the browser has fetched the page, but
    /// for 5 seconds at most: a program that exits stops serving it.
    ///
    /// - Parameter outcome: How the sign-in ended.
    public func conclude(_ outcome: SignInOutcome) async {
        await onOutcome?(outcome)
    }

    /// Runs the last part of a sign-in, and tells the user agent whether it succeeded.
    func concluding<Result>(
        _ work: () async throws(OAuthClientError) -> Result
    ) async throws(OAuthClientError) -> Result {
        do {
            let result = try await work()
            await conclude(.signedIn)
            return result
        } catch {
            await conclude(.notSignedIn)
            throw error
        }
    }
}
