// SPDX-License-Identifier: Apache-2.0

public import OAuthCore

/// Why a step of a sign-in or a call failed.
///
/// Branch on ``code``. Show ``userMessage`` and ``recovery`` to users, and write ``developerDescription`` to logs. None ever
/// holds a token, a proof, a key or a URL of a sign-in. With Foundation, the error is a `LocalizedError`. `dump` and crash
/// reporters see code and reason only.
public struct OAuthClientError: Error, Sendable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The code for programs that says what went wrong.
    public let code: Code
    /// What went wrong, for developers: one sentence without a final full stop, in English.
    ///
    /// ``userMessage`` is for users.
    public let reason: String
    /// The error response of the server, if it rejected the request.
    ///
    /// Its description is the server's text: show it to developers, not to users.
    public let answer: OAuthErrorResponse?
    /// The HTTP status of the response, if the server rejected the request.
    public let status: Int?
    /// How long the server asks clients to wait (`Retry-After`); `nil` if it does not say.
    public let retryAfter: Duration?
    /// What the next sign-in must ask for, if an API requires more than the session has.
    public let stepUp: StepUpChallenge?
    /// The scope that an API requires and the session lacks.
    public let scopeChallenge: ScopeChallenge?
    /// What the browser was to open, if none could be opened on this machine; see ``Code/browserUnavailable``.
    ///
    /// The user can open it elsewhere. The browser then ends at the redirect URI: an app that lets the user paste that address
    /// passes it to ``OAuth2Client/resumeSignIn(_:)-(String)``.
    public let authorizationURL: BrowserURL?
    /// The error of another module or of the system that caused this one.
    public let underlying: (any Error)?

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - code: The code for programs that says what went wrong.
    ///   - reason: What went wrong, as a message for people; never a secret.
    ///   - answer: The error response of the server.
    ///   - underlying: The error that caused this one.
    public init(
        _ code: Code,
        _ reason: String,
        answer: OAuthErrorResponse? = nil,
        underlying: (any Error)? = nil
    ) {
        self.init(code, reason, answer: answer, status: nil, retryAfter: nil, underlying: underlying)
    }

    /// Makes the error for a response that is not a success.
    init(_ code: Code, _ reason: String, failedResponse: FailedResponse) {
        self.init(
            code,
            "\(reason): \(failedResponse)",
            answer: failedResponse.error,
            status: failedResponse.status,
            retryAfter: failedResponse.retryAfter,
            underlying: nil
        )
    }

    /// Makes the error for an API that requires the user to sign in again.
    init(stepUp challenge: StepUpChallenge) {
        self.init(
            .stepUpRequired,
            "the API wants the user to sign in more strongly or more recently",
            answer: nil,
            status: 401,
            retryAfter: nil,
            underlying: nil,
            stepUp: challenge
        )
    }

    /// Makes the error for an API that requires a scope that the session lacks.
    init(scope challenge: ScopeChallenge) {
        self.init(
            .insufficientScope,
            "the API wants a scope that was not granted",
            answer: nil,
            status: 403,
            retryAfter: nil,
            underlying: nil,
            scopeChallenge: challenge
        )
    }

    /// Makes the error for a URL that no browser could open on this machine.
    init(noBrowserFor url: String, _ error: OAuthClientError) {
        self.init(
            error.code,
            "\(error.reason), or use startDeviceAuthorization",
            answer: nil,
            retryAfter: nil,
            underlying: error,
            authorizationURL: BrowserURL(url)
        )
    }

    init(
        _ code: Code,
        _ reason: String,
        answer: OAuthErrorResponse?,
        status: Int? = nil,
        retryAfter: Duration?,
        underlying: (any Error)?,
        stepUp: StepUpChallenge? = nil,
        scopeChallenge: ScopeChallenge? = nil,
        authorizationURL: BrowserURL? = nil
    ) {
        self.code = code
        self.reason = reason
        self.answer = answer
        self.status = status
        self.retryAfter = retryAfter
        self.underlying = underlying
        self.stepUp = stepUp
        self.scopeChallenge = scopeChallenge
        self.authorizationURL = authorizationURL
    }

    /// The code and the reason.
    public var description: String { "\(code): \(reason)" }

    /// The same: neither the text of a server nor the error of a store, which may hold anything.
    public var debugDescription: String { description }

    /// Code, reason and status.
    public var customMirror: Mirror {
        Mirror(self, children: ["code": code.rawValue, "reason": reason, "status": status as Any])
    }
}
